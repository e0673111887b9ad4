import { derivedId } from '../../../kernel/event/derived-id.js';
import type { DomainEvent, Recorded } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Document } from '../../../kernel/record/projection.js';

/** The event as targets and trigger runs show it (settled question Q-E03). */
export interface FiredEvent extends JsonObject {
  /** The audit shows the event under this id. */
  readonly id: string;
  readonly name: string;
  readonly source: string;
  readonly origin: string;
  readonly subject: JsonObject;
  readonly properties: JsonObject;
  readonly occurredAt: string;
}

/** See settled question Q-E07. */
export const skipReasons = ['target-inactive', 'target-missing', 'switched-off', 'loop', 'rate'] as const;
export type TriggerSkipReason = (typeof skipReasons)[number];

export interface Skipped {
  readonly reason: TriggerSkipReason;
  readonly triggerIds: readonly string[];
}

export interface TriggerRunEnd {
  readonly runId: string;
  readonly attempt: number;
  /** `null` if the run will be retried. */
  readonly status: 'ok' | 'failed' | null;
  readonly at: string;
}

export interface FiredBefore {
  readonly triggerId: string;
  readonly count: number;
  readonly lastFiredAt: string | null;
}

/**
 * The stream is `triggerRun-<workspace>.<workspace>`. A `TriggersFired` entry lists all runs to start, and is written
 * before any of them starts.
 */
export type TriggerRunEvent =
  | DomainEvent<
      'TriggersFired',
      {
        readonly event: FiredEvent;
        readonly cause: string | null;
        readonly root: string;
        readonly started: readonly string[];
        readonly skipped: readonly Skipped[];
      }
    >
  /**
   * Starts that failed after they were recorded. A `reason` means that the target has become unavailable since; null
   * means an error.
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
  /** Ends of runs, copied from the targets' journals, because those journals can be pruned sooner than this journal. */
  | DomainEvent<'TriggerRunsEnded', { readonly runs: readonly TriggerRunEnd[] }>
  /**
   * Retention removed all entries up to this revision. The latest firing of each trigger is copied here, because it
   * must survive the removal.
   */
  | DomainEvent<'TriggerRunsForgotten', { readonly throughRevision: number; readonly fired: readonly FiredBefore[] }>;

export type RecordedTriggerRunEvent = Recorded<TriggerRunEvent>;

export const triggerRunCategory = 'triggerRun';

const prefix = 'trun';

/** Returns the id of a trigger run. The run that it starts at the target has the same id. */
export function triggerRunId(eventId: string, triggerId: string): string {
  return derivedId(prefix, `${eventId}/${triggerId}`);
}

export const isTriggerRun = (runId: string): boolean => runId.startsWith(`${prefix}_`);

export interface TriggerRun extends Document {
  readonly triggerId: string;
  readonly eventId: string;
  readonly status: 'queued' | 'ok' | 'failed' | 'skipped';
  readonly reason: TriggerSkipReason | null;
  readonly attempts: number;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly position: number;
  /** Revision of the run's journal entry. Retention removes the run together with that entry. */
  readonly revision: number;
}

/** Stored once per event, under the event's id, although the event might have fired many triggers. */
export interface FiringEvent extends Document {
  readonly event: FiredEvent;
  readonly causationId: string | null;
  readonly root: string;
  /** Number of runs started in the chain. Counted only in the document of the event that began the chain. */
  readonly chain: number;
  readonly position: number;
  readonly revision: number;
}

/** Stored under the trigger's id. Skipped runs do not count. */
export interface TriggerFiring extends Document {
  readonly count: number;
  readonly lastFiredAt: string | null;
}

export const journalOf = (workspaceId: string) => streamOf(triggerRunCategory, workspaceId, workspaceId);
