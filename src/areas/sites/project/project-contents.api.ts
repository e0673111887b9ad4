import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import type { DomainEvent } from '../../../kernel/event.js';
import type { Document } from '../../../kernel/projection.js';
import type { RecordAggregate } from '../../../kernel/record.js';
import { deleteComponent } from '../component/component.js';
import { components } from '../component/component.record.js';
import { deletePage } from '../page/page.js';
import { pages } from '../page/page.record.js';

interface Content {
  readonly kind: RecordAggregate<Document, DomainEvent>;
  delete(record: Document): readonly DomainEvent[];
}

const content = <Doc extends Document & { readonly projectId: string }, Event extends DomainEvent>(
  kind: RecordAggregate<Doc, Event>,
  remove: (record: Doc) => readonly Event[],
): Content => ({ kind, delete: remove }) as unknown as Content;

/** Every kind of record that belongs to a project, and how one is deleted. */
const contents: readonly Content[] = [content(pages, deletePage), content(components, deleteComponent)];

const page = 200;

/** What belongs to a project, of whatever kind. */
@Injectable()
export class ProjectContents {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
  ) {}

  /** Deletes what is left of a project that is gone. `call` makes the call of one deletion. May be repeated. */
  async deleteAll(workspaceId: string, projectId: string, call: (step: string) => Call): Promise<void> {
    for (const { kind, delete: remove } of contents) {
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
