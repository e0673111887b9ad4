import type { TargetKind } from '../../../kernel/callers/target.js';
import type { DomainEvent, Recorded } from '../../../kernel/event/event.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Document } from '../../../kernel/record/projection.js';

/**
 * The state of a schedule's occurrences. Every event of the journal has the full ledger, so the last one is enough and
 * earlier ones can be pruned.
 */
export interface Ledger {
  /** Everything due up to this instant is settled. */
  readonly through: string;
  /** The latest settled local time: `2030-03-31T02:30`. */
  readonly local: string;
  readonly lastTriggered: string | null;
  readonly lastRunId: string | null;
  readonly missed: { readonly count: number; readonly lastAt: string } | null;
  /** Occurrences skipped because the previous run had not ended. */
  readonly skipped: number;
}

interface Settled {
  /** The schedule's name at that time. */
  readonly name: string;
  readonly ledger: Ledger;
}

/**
 * The journal of one schedule's occurrences, `occurrence-<workspace>.<scheduleId>`. The process whose append succeeds
 * owns the occurrence; another fails the revision check.
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
        /** The schedule's params at that time, passed to the target. */
        readonly params?: JsonObject;
      }
    >
  /**
   * The previous run has not ended, and the schedule does not allow overlap. With a reason: the workspace's plan or a
   * switch blocks the schedule.
   */
  | DomainEvent<
      'OccurrenceSkipped',
      Settled & { readonly dueAt: string; readonly runId: string; readonly reason?: 'blocked' }
    >
  /** No process was running to fire them, and now it is too late. One event for any number of occurrences. */
  | DomainEvent<'OccurrencesMissed', Settled & { readonly from: string; readonly to: string; readonly count: number }>;

export type RecordedOccurrenceEvent = Recorded<OccurrenceEvent>;

/** A schedule's ledger, read from its journal. */
export interface OccurrenceLedger extends Document, Ledger {
  /** The journal's last revision. */
  readonly revision: number;
}

export const occurrenceCategory = 'occurrence';

/** The saga that starts targets of fired occurrences. Events remain until it has handled them. */
export const startingSaga = 'fired-schedules-start-their-targets';
