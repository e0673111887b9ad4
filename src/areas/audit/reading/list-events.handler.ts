import { setImmediate } from 'node:timers/promises';
import { QueryHandler } from '@nestjs/cqrs';
import { AnswerPage, stride } from '../../../engine/answer-page.js';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { Turns } from '../../../engine/turns.js';
import type { Caller } from '../../../kernel/caller.js';
import type { Where } from '../../../kernel/projection.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { kindsSeen, maySee } from '../audit-visibility.js';
import { shownData } from '../left-out.js';
import { ListEvents } from './audit.operations.js';
import { AuditReading } from './audit-reading.api.js';
import { type AuditEntry, auditReadTypes } from './audit-reading.record.js';
import { typeWords } from './event-words.js';
import { listedEvent, recordedOf } from './listed-event.js';

interface Listed {
  readonly events: readonly object[];
  readonly next: number | null;
}

@QueryHandler(ListEvents)
export class ListEventsHandler {
  private readonly turns = new Turns();

  constructor(
    private readonly reads: Reads,
    private readonly store: EventStore,
    private readonly reading: AuditReading,
  ) {}

  async execute(input: ListEvents): Promise<Listed> {
    const call = callOf(input);
    await this.reading.record(call, { ...input });
    const { kind, limit = 50 } = input;
    if (kind !== undefined && !maySee(call.caller, kind)) return { events: [], next: null };
    const found = await this.reads.find<AuditEntry>(call.workspaceId, 'audit', {
      where: whereOf(input, call.caller),
      sort: [['position', 'desc']],
      limit: limit + 1,
    });
    return this.turns.take(call.workspaceId, () => this.page(found, limit));
  }

  /** Reads events in batches, and one page at a time per workspace, because their data may be large. */
  private async page(found: readonly AuditEntry[], limit: number): Promise<Listed> {
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
    return { events: page.items, next: null };
  }
}

/** Readings of the audit are listed only on request, so that reading the list does not fill it. */
function whereOf(input: ListEvents, caller: Caller | undefined): Where {
  const kinds = kindsSeen(caller);
  const kind = input.kind ?? (kinds === 'all' ? undefined : { in: kinds });
  const wantsReadings = input.types?.some((type) => auditReadTypes.includes(type)) ?? false;
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(kind === undefined && !wantsReadings ? { listed: true } : {}),
    ...(input.id === undefined ? {} : { resourceId: input.id }),
    ...(input.actorId === undefined ? {} : { actorId: input.actorId }),
    ...(input.types === undefined ? {} : { type: { in: input.types } }),
    ...(input.before === undefined ? {} : { position: { lt: input.before } }),
    ...timesOf(input),
  };
}

function timesOf({ from, to }: ListEvents): Where {
  if (from === undefined && to === undefined) return {};
  const iso = (text: string) => new Date(text).toISOString();
  return { at: { ...(from === undefined ? {} : { gte: iso(from) }), ...(to === undefined ? {} : { lt: iso(to) }) } };
}
