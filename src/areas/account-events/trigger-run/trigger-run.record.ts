import { derivedId } from '../../../kernel/event/derived-id.js';
import type { DomainEvent, Recorded } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Document } from '../../../kernel/record/projection.js';

/** The event that fired, as shown to targets and in trigger runs (settled question Q-E03). */
export interface FiredEvent extends JsonObject {
  /** The id of the recorded event; the audit uses the same id. */
  readonly id: string;
  readonly name: string;
  readonly source: string;
  readonly origin: string;
  readonly subject: JsonObject;
  readonly properties: JsonObject;
  readonly occurredAt: string;
}

/** Why a trigger started no run (settled question Q-E07). */
export const skipReasons = ['target-inactive', 'target-missing', 'switched-off', 'loop', 'rate'] as const;
export type TriggerSkipReason = (typeof skipReasons)[number];

export interface Skipped {
  readonly reason: TriggerSkipReason;
  readonly triggerIds: readonly string[];
}

/** How an attempt of a run ended. */
export interface TriggerRunEnd {
  readonly runId: string;
  readonly attempt: number;
  /** `ok` or `failed` after the last attempt; null if the run will be retried. */
  readonly status: 'ok' | 'failed' | null;
  readonly at: string;
}

/** When a trigger last fired, up to a revision of the journal. */
export interface FiredBefore {
  readonly triggerId: string;
  readonly count: number;
  readonly lastFiredAt: string | null;
}

/**
 * The journal of a workspace's trigger runs, `triggerRun-<workspace>.<workspace>`. Pruned by retention. One entry holds
 * everything that one event starts, for any number of triggers, and is written before anything is started.
 */
export type TriggerRunEvent =
  | DomainEvent<
      'TriggersFired',
      {
        readonly event: FiredEvent;
        /** The cause of the event: another event, or the run whose end it is. */
        readonly cause: string | null;
        /** The event that began the chain of triggers; at the start of a chain, the event itself. */
        readonly root: string;
        readonly started: readonly string[];
        readonly skipped: readonly Skipped[];
      }
    >
  /**
   * A start failed: the target has become unavailable since the decision (with a reason), or cannot be started at all
   * (null).
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
  /** Copied from the targets' own journals, which may be pruned sooner than this one. */
  | DomainEvent<'TriggerRunsEnded', { readonly runs: readonly TriggerRunEnd[] }>
  /** Retention removed everything up to this revision. This entry holds what must outlive it. */
  | DomainEvent<'TriggerRunsForgotten', { readonly throughRevision: number; readonly fired: readonly FiredBefore[] }>;

export type RecordedTriggerRunEvent = Recorded<TriggerRunEvent>;

export const triggerRunCategory = 'triggerRun';

const prefix = 'trun';

/** A trigger's run and its target's run share one id, derived from the event and the trigger. */
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
  /** Revision of its journal entry, for retention. */
  readonly revision: number;
}

/** An event that fired triggers, by its id; stored once for any number of triggers. */
export interface FiringEvent extends Document {
  readonly event: FiredEvent;
  /** The cause of the event: another event, or the run whose end it is. */
  readonly causationId: string | null;
  /** The event that began the chain. */
  readonly root: string;
  /** Runs started in the chain that this event began. */
  readonly chain: number;
  readonly position: number;
  readonly revision: number;
}

/** How often and when a trigger last started a run, by trigger id. Skipped runs are not counted. */
export interface TriggerFiring extends Document {
  readonly count: number;
  readonly lastFiredAt: string | null;
}

export const journalOf = (workspaceId: string) => streamOf(triggerRunCategory, workspaceId, workspaceId);
