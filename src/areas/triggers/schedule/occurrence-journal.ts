import { Injectable } from '@nestjs/common';
import { Journal, type WrittenBy } from '../../../engine/journal/journal.js';
import { SagaRunner } from '../../../engine/sagas/saga-runner.js';
import { derivedId, derivedUuid } from '../../../kernel/event/derived-id.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import {
  type Ledger,
  type OccurrenceEvent,
  type OccurrenceLedger,
  occurrenceCategory,
  type RecordedOccurrenceEvent,
  startingSaga,
} from './occurrence.record.js';
import type { Schedule } from './schedule.record.js';

/** A ledger and its journal revision. Without a ledger, the journal is empty. */
export type Standing = Pick<OccurrenceLedger, 'revision'> & { readonly ledger: Ledger | undefined };

export const notBegun: Standing = { revision: -1, ledger: undefined };

/** Each journal keeps at least this many events, and at most twice as many. */
const kept = 32;

/**
 * Writes the journals of occurrences, always at an expected revision, so that only one process settles an occurrence.
 */
@Injectable()
export class OccurrenceJournal {
  constructor(
    private readonly journal: Journal,
    private readonly sagas: SagaRunner,
  ) {}

  /** The same id for the same occurrence, whichever process fires it. */
  runIdOf({ workspaceId, id }: Schedule, dueAt: string): string {
    return derivedId('run', `${workspaceId}/${id}/${dueAt}`);
  }

  async read(schedule: Schedule): Promise<Standing> {
    const last = await this.journal.last(streamFor(schedule));
    if (last === undefined) return notBegun;
    return { revision: last.revision, ledger: (last as RecordedOccurrenceEvent).data.ledger };
  }

  /**
   * Undefined when the journal has another revision: another process was first, and nothing was recorded.
   * @throws EventStoreUnavailable
   */
  async write(
    schedule: Schedule,
    { revision }: Standing,
    events: readonly OccurrenceEvent[],
    name: string,
  ): Promise<Standing | undefined> {
    const stream = streamFor(schedule);
    const expected = revision === -1 ? ('none' as const) : revision;
    const by = this.by(schedule, name, `${stream}/${revision + 1}`);
    const once = events.map((event) => ({ ...event, once: `${stream}/${keyOf(event)}` }));
    const written = await this.journal.appendIfFirst({ stream, by, events: once, expected });
    return written && { revision: written.revision, ledger: events.at(-1)?.data.ledger };
  }

  /** Removes events that are no longer needed from the log, from time to time. */
  async prune(schedule: Schedule, before: Standing, { revision }: Standing): Promise<void> {
    // Spreads the pruning of schedules that were created together.
    const turn = schedule.id.charCodeAt(schedule.id.length - 1);
    if (Math.floor((revision + turn) / kept) === Math.floor((before.revision + turn) / kept)) return;
    const stream = streamFor(schedule);
    const first = revision - kept + 1;
    if (first <= 0) return;
    const oldest = await this.journal.at(stream, first);
    if (oldest === undefined || oldest.position > (await this.sagas.checkpointOf(startingSaga))) return;
    await this.journal.prune(stream, first - 1);
  }

  private by({ workspaceId, id }: Schedule, name: string, command: string): WrittenBy {
    const actor = { kind: 'schedule', id, name } as const;
    return { workspaceId, actor, commandId: derivedUuid(command), operation: 'automations/schedule' };
  }
}

const streamFor = ({ workspaceId, id }: Schedule) => streamOf(occurrenceCategory, workspaceId, id);

/** A key for an event that happens to an occurrence once. */
function keyOf({ type, data }: OccurrenceEvent): string {
  return `${type}/${'dueAt' in data ? data.dueAt : data.to}`;
}
