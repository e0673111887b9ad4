import { derivedId } from '../../../kernel/event/derived-id.js';
import type { DomainEvent, Recorded } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Document } from '../../../kernel/record/projection.js';

/** The event that fired the trigger, as targets and trigger runs show it (settled question Q-E03). */
export interface FiredEvent extends JsonObject {
  /** Id of the recorded event. The audit shows the event under the same id. */
  readonly id: string;
  readonly name: string;
  readonly source: string;
  readonly origin: string;
  readonly subject: JsonObject;
  readonly properties: JsonObject;
  readonly occurredAt: string;
}

/** Reasons why a trigger started no run (settled question Q-E07). */
export const skipReasons = ['target-inactive', 'target-missing', 'switched-off', 'loop', 'rate'] as const;
export type TriggerSkipReason = (typeof skipReasons)[number];

export interface Skipped {
  readonly reason: TriggerSkipReason;
  readonly triggerIds: readonly string[];
}

/** The end of an attempt of a run. */
export interface TriggerRunEnd {
  readonly runId: string;
  readonly attempt: number;
  /** `ok` or `failed` if this was the last attempt; `null` if the run will be retried. */
  readonly status: 'ok' | 'failed' | null;
  readonly at: string;
}

/**
 * Number of runs that a trigger has started, and the time of the last one, as of the journal entry that contains these
 * facts.
 */
export interface FiredBefore {
  readonly triggerId: string;
  readonly count: number;
  readonly lastFiredAt: string | null;
}

/**
 * The journal of a workspace's trigger runs, `triggerRun-<workspace>.<workspace>`. Retention removes old entries. For
 * each event, one `TriggersFired` entry lists all runs to start, and it is written before any of them starts.
 */
export type TriggerRunEvent =
  | DomainEvent<
      'TriggersFired',
      {
        readonly event: FiredEvent;
        /** Id of the event, or of the ended run, that caused this event. */
        readonly cause: string | null;
        /** Id of the event that began the chain of triggers. At the beginning of a chain, this is the event itself. */
        readonly root: string;
        readonly started: readonly string[];
        readonly skipped: readonly Skipped[];
      }
    >
  /**
   * Starts that failed after they were recorded. A `reason` states that the target has become unavailable since. If it
   * is null, the start failed with an error.
   */
  | DomainEvent<
      'TriggerRunsNotStarted',
      {
        readonly runs: readonly {
          readonly runId: string;
          readonly triggerId: string;
          readonly reason: TriggerSkipReason | null;
        }[];
      }
    >
  /** Ends of runs, copied from the targets' journals, because those journals may be pruned sooner than this journal. */
  | DomainEvent<'TriggerRunsEnded', { readonly runs: readonly TriggerRunEnd[] }>
  /**
   * Retention removed all entries up to this revision. The latest firing of each trigger is copied here, because it
   * must survive the removal.
   */
  | DomainEvent<'TriggerRunsForgotten', { readonly throughRevision: number; readonly fired: readonly FiredBefore[] }>;

export type RecordedTriggerRunEvent = Recorded<TriggerRunEvent>;

export const triggerRunCategory = 'triggerRun';

const prefix = 'trun';

/** Derives the id of a trigger's run from the event and the trigger. The run of the target has the same id. */
export function triggerRunId(eventId: string, triggerId: string): string {
  return derivedId(prefix, `${eventId}/${triggerId}`);
}

export const isTriggerRun = (runId: string): boolean => runId.startsWith(`${prefix}_`);

export interface TriggerRun extends Document {
  readonly triggerId: string;
  readonly eventId: string;
  readonly status: 'queued' | 'ok' | 'failed' | 'skipped';
  readonly reason: TriggerSkipReason | null;
  /** Number of attempts that have ended. */
  readonly attempts: number;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly position: number;
  /** Revision of the run's journal entry. Retention removes the run together with that entry. */
  readonly revision: number;
}

/** An event that fired triggers, stored once under its own id, because it may have fired many. */
export interface FiringEvent extends Document {
  readonly event: FiredEvent;
  /** Id of the event, or of the ended run, that caused this event. */
  readonly causationId: string | null;
  /** Id of the event that began the chain of triggers. */
  readonly root: string;
  /** Number of runs started in the chain. Counted only in the document of the event that began it. */
  readonly chain: number;
  readonly position: number;
  readonly revision: number;
}

/** Number and time of the runs that a trigger has started, under the trigger's id. Skipped runs do not count. */
export interface TriggerFiring extends Document {
  readonly count: number;
  readonly lastFiredAt: string | null;
}

export const journalOf = (workspaceId: string) => streamOf(triggerRunCategory, workspaceId, workspaceId);
