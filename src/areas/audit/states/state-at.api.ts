import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { PerDryRun } from '../../../engine/dry-run/dry-run.js';
import { stride } from '../../../engine/records/answer-page.js';
import type { DomainEvent, Recorded, RecordedEvent } from '../../../kernel/event/event.js';
import { sizeOf } from '../../../kernel/json/size-of.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { RecordAggregate } from '../../../kernel/record/record.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { type Fold, FoldCache } from './fold-cache.js';

export type { Fold };

export type Until = { readonly position: number } | { readonly instant: number };

@Injectable()
export class StateAt {
  private readonly cache = new PerDryRun(() => new FoldCache());

  constructor(private readonly store: EventStore) {}

  /**
   * Includes events at exactly the time or position `until`. If a clock was set back, an event is treated as having the
   * latest time of all events before that event.
   */
  async at(aggregate: RecordAggregate<Document, DomainEvent>, stream: string, until: Until): Promise<Fold> {
    const isIn =
      'position' in until
        ? ({ position }: Fold) => position !== null && position <= until.position
        : ({ latest }: Fold) => latest <= until.instant;
    let fold = this.cache.now.nearest(stream, isIn);
    for (let limit = stride; ; ) {
      const events = await this.store.readStream(stream, { from: fold.revision + 1, limit });
      for (const event of events) {
        const next = after(aggregate, fold, event);
        if (!isIn(next)) return fold;
        fold = next;
        this.cache.now.offer(stream, fold);
      }
      if (events.length < limit) return fold;
      limit = nextPage(events);
      await setImmediate();
    }
  }
}

/**
 * Limits of one read: number of events, and their estimated size in characters. A read contains either many small
 * events, to save turns of the event loop, or fewer large ones.
 */
const mostEvents = 160;
const mostSize = 128 * 1024;

function nextPage(events: readonly RecordedEvent[]): number {
  const size = events.reduce((sum, { data }) => sum + sizeOf(data), 0);
  return Math.max(stride, Math.min(mostEvents, events.length * 2, Math.floor((mostSize * events.length) / size)));
}

function after(aggregate: RecordAggregate<Document, DomainEvent>, before: Fold, event: RecordedEvent): Fold {
  const { revision, position, metadata } = event;
  return {
    revision,
    position,
    at: metadata.at,
    latest: Math.max(before.latest, Date.parse(metadata.at)),
    state: aggregate.evolve(before.state, event as Recorded<DomainEvent>),
  };
}
