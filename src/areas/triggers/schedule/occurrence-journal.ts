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

export type LedgerState = Pick<OccurrenceLedger, 'revision'> & { readonly ledger: Ledger | undefined };

export const emptyLedger: LedgerState = { revision: -1, ledger: undefined };

/** Number of events that remain after pruning. A journal is pruned each time it has about twice as many. */
const eventsLeft = 32;

/** Writes require the expected revision, so only one process records the outcome of an occurrence. */
@Injectable()
export class OccurrenceJournal {
  constructor(
    private readonly journal: Journal,
    private readonly sagas: SagaRunner,
  ) {}

  /** Derived from the occurrence, so every process gets the same id. */
  runIdOf({ workspaceId, id }: Schedule, dueAt: string): string {
    return derivedId('run', `${workspaceId}/${id}/${dueAt}`);
  }

  async read(schedule: Schedule): Promise<LedgerState> {
    const last = await this.journal.last(streamFor(schedule));
    if (last === undefined) return emptyLedger;
    return { revision: last.revision, ledger: (last as RecordedOccurrenceEvent).data.ledger };
  }

  /**
   * Returns undefined and records nothing if another process wrote to the journal first.
   * @throws EventStoreUnavailable
   */
  async write(
    schedule: Schedule,
    { revision }: LedgerState,
    events: readonly OccurrenceEvent[],
    name: string,
  ): Promise<LedgerState | undefined> {
    const stream = streamFor(schedule);
    const expected = revision === -1 ? ('none' as const) : revision;
    const by = this.by(schedule, name, `${stream}/${revision + 1}`);
    const once = events.map((event) => ({ ...event, once: `${stream}/${keyOf(event)}` }));
    const written = await this.journal.appendIfFirst({ stream, by, events: once, expected });
    return written && { revision: written.revision, ledger: events.at(-1)?.data.ledger };
  }

  /** Events are pruned only after the saga that starts the targets has handled them. */
  async prune(schedule: Schedule, before: LedgerState, { revision }: LedgerState): Promise<void> {
    // Depends on the schedule's id, so that schedules created together are not pruned at the same time.
    const turn = schedule.id.charCodeAt(schedule.id.length - 1);
    if (Math.floor((revision + turn) / eventsLeft) === Math.floor((before.revision + turn) / eventsLeft)) return;
    const stream = streamFor(schedule);
    const first = revision - eventsLeft + 1;
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

function keyOf({ type, data }: OccurrenceEvent): string {
  return `${type}/${'dueAt' in data ? data.dueAt : data.to}`;
}
