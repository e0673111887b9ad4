import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import type { DomainEvent } from '../../../kernel/event.js';
import type { Document } from '../../../kernel/projection.js';
import type { RecordAggregate } from '../../../kernel/record.js';

interface Content {
  readonly kind: RecordAggregate<Document, DomainEvent>;
  delete(record: Document): readonly DomainEvent[];
}

const page = 200;

/** What belongs to projects, of whatever kind. Slices register their kinds at start. */
@Injectable()
export class ProjectContents {
  private readonly contents: Content[] = [];

  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
  ) {}

  register<Doc extends Document & { readonly projectId: string }, Event extends DomainEvent>(
    kind: RecordAggregate<Doc, Event>,
    remove: (record: Doc) => readonly Event[],
  ): void {
    this.contents.push({ kind, delete: remove } as unknown as Content);
  }

  /** Deletes what is left of a project that is gone. `call` makes the call of one deletion. May be repeated. */
  async deleteAll(workspaceId: string, projectId: string, call: (step: string) => Call): Promise<void> {
    for (const { kind, delete: remove } of this.contents) {
      const collection = kind.collection?.name ?? '';
      for (;;) {
        const found = await this.reads.find(workspaceId, collection, { where: { projectId }, limit: page });
        for (const { id } of found) {
          await this.runner.change(call(`${kind.category}/${id}`), {
            aggregate: kind,
            id,
            begins: 'perhaps',
            decide: (record) => (record === undefined ? [] : remove(record)),
          });
        }
        if (found.length < page) break;
      }
    }
  }
}

/** Enters a kind of record that belongs to projects, with how one is deleted. A provider of its slice. */
export const projectContent = <Doc extends Document & { readonly projectId: string }, Event extends DomainEvent>(
  kind: RecordAggregate<Doc, Event>,
  remove: (record: Doc) => readonly Event[],
) => ({
  provide: Symbol(`Contents of projects: ${kind.category}`),
  inject: [ProjectContents],
  useFactory: (contents: ProjectContents) => contents.register(kind, remove),
});
