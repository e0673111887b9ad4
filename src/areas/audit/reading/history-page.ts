import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AnswerPage, stride } from '../../../engine/answer-page.js';
import { Turns } from '../../../engine/turns.js';
import { differences } from '../../../kernel/difference.js';
import type { DomainEvent, Recorded, RecordedEvent } from '../../../kernel/event.js';
import type { Document } from '../../../kernel/projection.js';
import type { RecordAggregate } from '../../../kernel/record.js';
import { streamOf } from '../../../kernel/stream-name.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { shownChanges, shownData } from '../left-out.js';

export interface Asked {
  readonly kind: string;
  readonly id: string;
  readonly limit: number;
  /** Only events after this position. */
  readonly after: number;
}

export interface HistoryPage {
  readonly events: readonly object[];
  readonly next: number | null;
}

/**
 * Part of one record's history, read directly from the log, so it shows exactly what was recorded. The record is folded
 * from its beginning, because what an event changed depends on all events before it. Events are read in batches, and
 * each workspace gets one page at a time, so that a long history delays only its own workspace.
 */
@Injectable()
export class HistoryPages {
  private readonly turns = new Turns();

  constructor(private readonly store: EventStore) {}

  /** Whether such a record ever existed. */
  async has(workspaceId: string, kind: string, id: string): Promise<boolean> {
    return (await this.store.readStream(streamOf(kind, workspaceId, id), { limit: 1 })).length > 0;
  }

  page(workspaceId: string, aggregate: RecordAggregate<Document, DomainEvent>, asked: Asked): Promise<HistoryPage> {
    return this.turns.take(workspaceId, () => this.read(workspaceId, aggregate, asked));
  }

  private async read(
    workspaceId: string,
    aggregate: RecordAggregate<Document, DomainEvent>,
    asked: Asked,
  ): Promise<HistoryPage> {
    const stream = streamOf(asked.kind, workspaceId, asked.id);
    const page = new AnswerPage<object>(asked.limit);
    let state: Document | undefined;
    let shownUpTo = asked.after;
    for (let from = 0; ; ) {
      const events = await this.store.readStream(stream, { from, limit: stride });
      for (const event of events) {
        const before = state;
        state = aggregate.evolve(state, event as Recorded<DomainEvent>);
        if (event.position <= asked.after) continue;
        if (!page.add(shown(asked, event, before, state))) return { events: page.items, next: shownUpTo };
        shownUpTo = event.position;
      }
      const last = events.at(-1);
      if (last === undefined || events.length < stride) return { events: page.items, next: null };
      from = last.revision + 1;
      await setImmediate();
    }
  }
}

function shown(
  { kind, id: resourceId }: Asked,
  { position, id, type, data, metadata }: RecordedEvent,
  before: Document | undefined,
  after: Document | undefined,
): object {
  const { at, actor, operation: command, correlationId, causationId } = metadata;
  const about = { position, id, type, at, actor, command, resource: { kind, id: resourceId }, data: shownData(data) };
  return { ...about, correlationId, causationId, ...shownChanges(differences(before ?? {}, after ?? {})) };
}
