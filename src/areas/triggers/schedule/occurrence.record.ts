import type { TargetKind } from '../../../kernel/callers/target.js';
import type { DomainEvent, Recorded } from '../../../kernel/event/event.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Document } from '../../../kernel/record/projection.js';

/**
 * An occurrence is settled once it is recorded as fired, skipped or missed. Every event holds the full ledger, so
 * readers need only the last one and earlier ones can be pruned.
 */
export interface Ledger {
  /** Every occurrence up to this instant is settled. */
  readonly through: string;
  /** Latest local time that is settled, such as `2030-03-31T02:30`. */
  readonly local: string;
  readonly lastTriggered: string | null;
  readonly lastRunId: string | null;
  readonly missed: { readonly count: number; readonly lastAt: string } | null;
  readonly skipped: number;
}

interface Settled {
  readonly name: string;
  readonly ledger: Ledger;
}

/**
 * The journal is `occurrence-<workspace>.<scheduleId>`. Of several processes, the one whose append succeeds settles the
 * occurrence; the others fail the revision check.
 */
export type OccurrenceEvent =
  | DomainEvent<
      'OccurrenceFired',
      Settled & {
        readonly dueAt: string;
        readonly firedAt: string;
        readonly lateMs: number;
        readonly runId: string;
        readonly targetKind: TargetKind;
        readonly targetRef: string;
        readonly params?: JsonObject;
      }
    >
  /**
   * Without a `reason`, the previous run had not ended and the schedule does not allow overlap. With a `reason`, the
   * workspace's plan or one of its settings blocked the schedule.
   */
  | DomainEvent<
      'OccurrenceSkipped',
      Settled & { readonly dueAt: string; readonly runId: string; readonly reason?: 'blocked' }
    >
  /** No process was running to fire the occurrences in time. One event covers any number of them. */
  | DomainEvent<'OccurrencesMissed', Settled & { readonly from: string; readonly to: string; readonly count: number }>;

export type RecordedOccurrenceEvent = Recorded<OccurrenceEvent>;

export interface OccurrenceLedger extends Document, Ledger {
  readonly revision: number;
}

export const occurrenceCategory = 'occurrence';

/** Events are not pruned before this saga has handled them. */
export const startingSaga = 'fired-schedules-start-their-targets';
