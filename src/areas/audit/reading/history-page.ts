import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AnswerPage, stride } from '../../../engine/records/answer-page.js';
import type { DomainEvent, Recorded, RecordedEvent } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { KeyedMutex } from '../../../kernel/keyed-mutex.js';
import { differences } from '../../../kernel/record/difference.js';
import { eventSentence } from '../../../kernel/record/event-words.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { RecordAggregate } from '../../../kernel/record/record.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { shownChanges, shownData } from '../left-out.js';
import { type Fold, StateAt } from '../states/state-at.api.js';
import { LinesOfChanges } from './changed-lines.js';
import { approvalFacts } from './listed-event.js';

export interface HistoryQuery {
  readonly kind: string;
  readonly id: string;
  readonly limit: number;
  readonly after: number;
}

export interface HistoryPage {
  readonly events: readonly object[];
  readonly next: number | null;
}

/**
 * All events before the page are folded too, because the changes of an event depend on the state before it. The pages
 * of one workspace are read one after the other, so that its long histories do not delay other workspaces.
 */
@Injectable()
export class HistoryPages {
  private readonly turns = new KeyedMutex();

  constructor(
    private readonly store: EventStore,
    private readonly folds: StateAt,
    private readonly lines: LinesOfChanges,
  ) {}

  /** Whether a record of this kind with this id has ever existed. */
  async has(workspaceId: string, kind: string, id: string): Promise<boolean> {
    return (await this.store.readStream(streamOf(kind, workspaceId, id), { limit: 1 })).length > 0;
  }

  page(
    workspaceId: string,
    aggregate: RecordAggregate<Document, DomainEvent>,
    query: HistoryQuery,
  ): Promise<HistoryPage> {
    return this.turns.run(workspaceId, () => this.read(workspaceId, aggregate, query));
  }

  private async read(
    workspaceId: string,
    aggregate: RecordAggregate<Document, DomainEvent>,
    query: HistoryQuery,
  ): Promise<HistoryPage> {
    const stream = streamOf(query.kind, workspaceId, query.id);
    const page = new AnswerPage<object>(query.limit);
    const begin = await this.upTo(aggregate, stream, query.after);
    let { state } = begin;
    let shownUpTo = query.after;
    for (let from = begin.revision + 1; ; ) {
      const events = await this.store.readStream(stream, { from, limit: stride });
      for (const event of events) {
        const before = state;
        state = aggregate.evolve(state, event as Recorded<DomainEvent>);
        const lines = await this.lines.of(aggregate, before, state);
        const item = { ...shown(query, aggregate, event, before, state), ...(lines.length === 0 ? {} : { lines }) };
        if (!page.add(item)) return { events: page.items, next: shownUpTo };
        shownUpTo = event.position;
      }
      const last = events.at(-1);
      if (last === undefined || events.length < stride) return { events: page.items, next: null };
      from = last.revision + 1;
      await setImmediate();
    }
  }

  private async upTo(
    aggregate: RecordAggregate<Document, DomainEvent>,
    stream: string,
    position: number,
  ): Promise<Pick<Fold, 'revision' | 'state'>> {
    if (position < 0) return { revision: -1, state: undefined };
    const fold = await this.folds.at(aggregate, stream, { position });
    await setImmediate();
    return fold;
  }
}

function shown(
  { kind, id: resourceId }: HistoryQuery,
  aggregate: RecordAggregate<Document, DomainEvent>,
  event: RecordedEvent,
  before: Document | undefined,
  after: Document | undefined,
): object {
  const { position, id, type, data, metadata } = event;
  const { at, actor, operation: command, correlationId, causationId } = metadata;
  const about = {
    position,
    id,
    type,
    at,
    actor,
    ...approvalFacts(metadata),
    command,
    resource: { kind, id: resourceId },
    data: shownData(data),
  };
  const changes = differences(before ?? {}, after ?? {});
  const summary = eventSentence(aggregate, event, before, after, changes);
  return { ...about, correlationId, causationId, summary, ...shownChanges(changes) };
}
