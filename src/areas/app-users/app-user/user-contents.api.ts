import { Injectable } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { DomainEvent, Recorded, RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream, streamOf } from '../../../kernel/event/stream-name.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { RecordAggregate } from '../../../kernel/record/record.js';
import { appUsers } from './app-user.record.js';

const page = 100;

interface Content {
  readonly kind: RecordAggregate<Document, DomainEvent>;
  readonly field: string;
  end(record: Document): readonly DomainEvent[];
}

/** Kinds of records that belong to a user of a site, and end with the user. */
@Injectable()
export class UserContents {
  private readonly contents: Content[] = [];

  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly loader: AggregateLoader,
  ) {}

  /** The events with which something of a user begins. */
  get firstTypes(): readonly string[] {
    return [...new Set(this.contents.flatMap(({ kind }) => kind.firstTypes))];
  }

  register<Doc extends Document, Event extends DomainEvent>(
    kind: RecordAggregate<Doc, Event>,
    field: keyof Doc & string,
    end: (record: Doc) => readonly Event[],
  ): void {
    this.contents.push({ kind, field, end } as unknown as Content);
  }

  /** Ends what is left of a user that is gone. May be repeated. */
  async deleteAll(workspaceId: string, userId: string, call: (step: string) => Call): Promise<void> {
    for (const content of this.contents) {
      const collection = content.kind.collection?.name ?? '';
      const sort = [] as const;
      for (let after: readonly string[] | undefined; ; ) {
        const where = { [content.field]: userId };
        const found = await this.reads.find(workspaceId, collection, {
          where,
          sort,
          limit: page,
          ...(after && { after }),
        });
        for (const { id } of found) await this.end(content, id, call);
        const last = found.at(-1);
        if (last === undefined || found.length < page) break;
        after = [last.id];
      }
    }
  }

  /** Ends what this event began, if its user had been deleted by then. May be repeated. */
  async deleteLate(event: RecordedEvent, call: (step: string) => Call): Promise<void> {
    const { category, workspaceId, id } = parseStream(event.stream);
    const content = this.contents.find(({ kind }) => kind.category === category);
    const record = content?.kind.begin(event as Recorded<DomainEvent>);
    const userId = record && content && (record as Document & Readonly<Record<string, unknown>>)[content.field];
    if (content === undefined || typeof userId !== 'string') return;
    const user = await this.loader.load(appUsers, streamOf(appUsers.category, workspaceId, userId));
    if (user.state === undefined && user.revision >= 0) await this.end(content, id, call);
  }

  private async end({ kind, end }: Content, id: string, call: (step: string) => Call): Promise<void> {
    await this.runner.change(call(`${kind.category}/${id}`), {
      aggregate: kind,
      id,
      begins: 'perhaps',
      decide: (record) => (record === undefined ? [] : end(record)),
    });
  }
}

/**
 * Enters a kind of record that belongs to a user, whose id stands in `field` of its documents, with how one ends. A
 * provider of its slice.
 */
export const userContent = <Doc extends Document, Event extends DomainEvent>(
  kind: RecordAggregate<Doc, Event>,
  field: keyof Doc & string,
  end: (record: Doc) => readonly Event[],
) => ({
  provide: Symbol(`Contents of users: ${kind.category}`),
  inject: [UserContents],
  useFactory: (contents: UserContents) => contents.register(kind, field, end),
});
