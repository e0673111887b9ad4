import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { AnswerPage, stride } from '../../../engine/records/answer-page.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { RecordScopes } from '../../../engine/scopes/record-scopes.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { KeyedMutex } from '../../../kernel/keyed-mutex.js';
import { typeWords } from '../../../kernel/record/event-words.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { kindsSeen, maySee } from '../audit-visibility.api.js';
import { shownData } from '../left-out.js';
import { AuditReading } from './audit-reading.api.js';
import type { AuditEntry } from './audit-reading.record.js';
import { listedEvent, recordedOf } from './listed-event.js';
import { type TimelineWish, timeline } from './timeline.js';
import { UndoneEvents } from './undone-events.js';

interface EventQuery {
  readonly kind?: string;
  readonly id?: string;
  readonly actorId?: string;
  readonly types?: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
  readonly before?: number;
}

interface Listed {
  readonly events: readonly object[];
  readonly next: number | null;
}

interface Open {
  readonly entries: readonly AuditEntry[];
  readonly rest: number | null;
}

const mostPages = 20;

@Injectable()
export class EventList {
  private readonly turns = new KeyedMutex();

  constructor(
    private readonly reads: Reads,
    private readonly store: EventStore,
    private readonly reading: AuditReading,
    private readonly scopes: RecordScopes,
    private readonly undone: UndoneEvents,
  ) {}

  async page(call: OperationContext, query: EventQuery): Promise<Listed> {
    await this.reading.record(call, query);
    const { kind, limit = 50 } = query;
    if (kind !== undefined && !maySee(call.caller, kind)) return { events: [], next: null };
    const { entries, rest } = await this.visibleEntries(call, wishOf(query, call.caller, limit + 1));
    const page = await this.turns.run(call.workspaceId, () => this.shown(entries, limit, rest));
    return { ...page, events: await this.undone.shown(call.workspaceId, page.events) };
  }

  private async visibleEntries(call: OperationContext, wish: TimelineWish): Promise<Open> {
    const isOpen = this.scopes.judge(call);
    const entries: AuditEntry[] = [];
    let { before } = wish;
    for (let looked = 1; ; looked++) {
      const found = await timeline(this.reads, call.workspaceId, { ...wish, before });
      for (const entry of found) if (await isOpen({ kind: entry.kind, id: entry.resourceId })) entries.push(entry);
      if (found.length < wish.limit || entries.length >= wish.limit) return { entries, rest: null };
      before = found.at(-1)?.position;
      if (looked === mostPages) return { entries, rest: before ?? null };
    }
  }

  /** Must run for only one answer per workspace at a time, because the data that it loads can be large. */
  private async shown(found: readonly AuditEntry[], limit: number, rest: number | null): Promise<Listed> {
    const page = new AnswerPage<object>(limit);
    let shownDownTo: number | null = null;
    for (let from = 0; from < found.length; from += stride) {
      const entries = found.slice(from, from + stride);
      const recorded = await Promise.all(entries.map((entry) => recordedOf(this.store, entry)));
      for (const [at, entry] of entries.entries()) {
        const event = { ...listedEvent(entry, shownData(recorded[at]?.data ?? null)), summary: typeWords(entry.type) };
        if (!page.add(event)) return { events: page.items, next: shownDownTo };
        shownDownTo = entry.position;
      }
      await setImmediate();
    }
    return { events: page.items, next: rest };
  }
}

function wishOf(
  { kind, id, actorId, types, from, to, before }: EventQuery,
  caller: Caller | undefined,
  limit: number,
): TimelineWish {
  const seen = kindsSeen(caller);
  const kinds = kind !== undefined ? [kind] : seen === 'all' ? undefined : seen;
  return {
    kinds,
    types: types && [...new Set(types)],
    resourceId: id,
    actorId,
    from: isoOf(from),
    to: isoOf(to),
    before,
    limit,
  };
}

const isoOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text).toISOString());
