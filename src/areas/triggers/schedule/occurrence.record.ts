import type { DomainEvent, Recorded } from '../../../kernel/event.js';
import type { Document } from '../../../kernel/projection.js';
import type { TargetKind } from '../../../kernel/target.js';

/**
 * Where a schedule stands. Every event of the journal carries it as it is from then on, so that the last one tells all
 * and those before it can be pruned.
 */
export interface Ledger {
  /** Whatever fell due up to this instant is settled. */
  readonly through: string;
  /** The latest local time that is settled: `2030-03-31T02:30`. */
  readonly local: string;
  readonly lastTriggered: string | null;
  readonly lastRunId: string | null;
  readonly missed: { readonly count: number; readonly lastAt: string } | null;
  /** How often it was left out because the run before was going. */
  readonly skipped: number;
}

interface Settled {
  /** The schedule's, as it was called then. */
  readonly name: string;
  readonly ledger: Ledger;
}

/**
 * The journal of one schedule's occurrences, `occurrence-<workspace>.<scheduleId>`. Whoever appends where it stands has
 * the occurrence; a second one finds that it stands elsewhere.
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
      }
    >
  /** The run that it started before is queued or going, and the schedule does not start a second beside it. */
  | DomainEvent<'OccurrenceSkipped', Settled & { readonly dueAt: string; readonly runId: string }>
  /** Nothing was running to fire them, and it is too late now; however many, one record. */
  | DomainEvent<'OccurrencesMissed', Settled & { readonly from: string; readonly to: string; readonly count: number }>;

export type RecordedOccurrenceEvent = Recorded<OccurrenceEvent>;

/** A schedule's ledger as its journal has it. */
export interface OccurrenceLedger extends Document, Ledger {
  /** The journal's last revision. */
  readonly revision: number;
}

export const occurrenceCategory = 'occurrence';
