import type { TargetKind } from '../../../kernel/callers/target.js';
import type { DomainEvent, Recorded } from '../../../kernel/event/event.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Document } from '../../../kernel/record/projection.js';

/**
 * The state of a schedule's occurrences. Every event of the journal carries the full ledger, so that the last event is
 * enough and earlier ones can be pruned.
 */
export interface Ledger {
  /** Everything due up to this instant is settled. */
  readonly through: string;
  /** The latest settled local time: `2030-03-31T02:30`. */
  readonly local: string;
  readonly lastTriggered: string | null;
  readonly lastRunId: string | null;
  readonly missed: { readonly count: number; readonly lastAt: string } | null;
  /** How many occurrences were skipped because the previous run was still going. */
  readonly skipped: number;
}

interface Settled {
  /** The schedule's name at that time. */
  readonly name: string;
  readonly ledger: Ledger;
}

/**
 * The journal of one schedule's occurrences, `occurrence-<workspace>.<scheduleId>`. The first process to append at a
 * revision owns the occurrence. A second one fails the revision check.
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
        /** Passed to what it starts, as the schedule said at that time. */
        readonly params?: JsonObject;
      }
    >
  /**
   * The previous run is queued or going, and the schedule does not allow a second one beside it. With a reason: the plan
   * or a switch of the workspace keeps the schedule from starting anything.
   */
  | DomainEvent<
      'OccurrenceSkipped',
      Settled & { readonly dueAt: string; readonly runId: string; readonly reason?: 'blocked' }
    >
  /** No process was there to fire them, and now it is too late. One record for any number of occurrences. */
  | DomainEvent<'OccurrencesMissed', Settled & { readonly from: string; readonly to: string; readonly count: number }>;

export type RecordedOccurrenceEvent = Recorded<OccurrenceEvent>;

/** A schedule's ledger, read from its journal. */
export interface OccurrenceLedger extends Document, Ledger {
  /** The journal's last revision. */
  readonly revision: number;
}

export const occurrenceCategory = 'occurrence';

/** The saga that starts targets of fired occurrences. Its events are kept until it has handled them. */
export const startingSaga = 'fired-schedules-start-their-targets';
