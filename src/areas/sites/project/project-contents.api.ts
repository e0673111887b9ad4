import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { DomainEvent, Recorded, RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream, streamOf } from '../../../kernel/event/stream-name.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { RecordAggregate } from '../../../kernel/record/record.js';
import { projects } from './project.record.js';

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
    private readonly loader: AggregateLoader,
  ) {}

  /** The events with which something of a project begins. */
  get firstTypes(): readonly string[] {
    return [...new Set(this.contents.flatMap(({ kind }) => kind.firstTypes))];
  }

  register<Doc extends Document & { readonly projectId?: string | null }, Event extends DomainEvent>(
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
        await this.remove(
          { kind, delete: remove },
          found.map(({ id }) => id),
          call,
        );
        if (found.length < page) break;
      }
    }
  }

  /** Deletes what this event began, if its project had been deleted by then. May be repeated. */
  async deleteLate(event: RecordedEvent, call: (step: string) => Call): Promise<void> {
    const { category, workspaceId, id } = parseStream(event.stream);
    const content = this.contents.find(({ kind }) => kind.category === category);
    const projectId = content && projectOf(content.kind.begin(event as Recorded<DomainEvent>));
    if (content === undefined || projectId === undefined) return;
    const project = await this.loader.load(projects, streamOf(projects.category, workspaceId, projectId));
    // The first page of a new project may be recorded a moment before the project.
    const wasDeleted = project.state === undefined && project.revision >= 0;
    if (wasDeleted) await this.remove(content, [id], call);
  }

  /** Together: there may be very many. */
  private async remove(
    { kind, delete: remove }: Content,
    ids: readonly string[],
    call: (step: string) => Call,
  ): Promise<void> {
    const [first] = ids;
    if (first === undefined) return;
    const changes = ids.map((id) => ({
      aggregate: kind,
      id,
      begins: 'perhaps' as const,
      decide: (record: Document | undefined) => (record === undefined ? [] : remove(record)),
    }));
    await this.runner.changeAll(call(`${kind.category}/${first}`), changes);
  }
}

/** Of some kinds, records of the workspace itself have none. */
function projectOf(record: Document | undefined): string | undefined {
  const projectId = record !== undefined && 'projectId' in record ? record.projectId : undefined;
  return typeof projectId === 'string' ? projectId : undefined;
}

/** Enters a kind of record that belongs to projects, with how one is deleted. A provider of its slice. */
export const projectContent = <
  Doc extends Document & { readonly projectId?: string | null },
  Event extends DomainEvent,
>(
  kind: RecordAggregate<Doc, Event>,
  remove: (record: Doc) => readonly Event[],
) => ({
  provide: Symbol(`Contents of projects: ${kind.category}`),
  inject: [ProjectContents],
  useFactory: (contents: ProjectContents) => contents.register(kind, remove),
});
