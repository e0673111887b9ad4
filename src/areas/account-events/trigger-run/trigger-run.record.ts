import { derivedId } from '../../../engine/derived-id.js';
import type { DomainEvent, Recorded } from '../../../kernel/event.js';
import type { JsonObject } from '../../../kernel/json.js';

/** The event that fired, as targets get it and as trigger runs show it (settled question Q-E03). */
export interface FiredEvent extends JsonObject {
  /** Of the recorded event: the audit knows it by the same id. */
  readonly id: string;
  readonly name: string;
  readonly source: string;
  readonly origin: string;
  readonly subject: JsonObject;
  readonly properties: JsonObject;
  readonly occurredAt: string;
}

/** Settled question Q-E07. */
export const skipReasons = ['target-inactive', 'target-missing', 'switched-off', 'loop', 'rate'] as const;
export type SkipReason = (typeof skipReasons)[number];

export interface Skipped {
  readonly reason: SkipReason;
  readonly triggerIds: readonly string[];
}

/** How a run came to an attempt's end. */
export interface TriggerRunEnd {
  readonly runId: string;
  readonly attempt: number;
  /** It was the last attempt: `ok` or `failed`. Null: it is tried again. */
  readonly status: 'ok' | 'failed' | null;
  readonly at: string;
}

/** When a trigger fired, up to a place in the journal. */
export interface FiredBefore {
  readonly triggerId: string;
  readonly count: number;
  readonly lastFiredAt: string | null;
}

/**
 * The journal of a workspace's trigger runs, `triggerRun-<workspace>.<workspace>`; pruned by retention. One entry holds
 * all that one event did, however many triggers it fired, and says it before anything is started.
 */
export type TriggerRunEvent =
  | DomainEvent<
      'TriggersFired',
      {
        readonly event: FiredEvent;
        /** What the event followed from itself: an event, or the run that it is the end of. */
        readonly cause: string | null;
        /** The event that began the chain of triggers; at its start, the event itself. */
        readonly root: string;
        readonly started: readonly string[];
        readonly skipped: readonly Skipped[];
      }
    >
  /** What was to be started could not be: its target is gone since (a reason), or cannot be started at all (null). */
  | DomainEvent<
      'TriggerRunsNotStarted',
      {
        readonly runs: readonly {
          readonly runId: string;
          readonly triggerId: string;
          readonly reason: SkipReason | null;
        }[];
      }
    >
  /** What was told by the lanes that run targets: their own journals may be pruned sooner than this one. */
  | DomainEvent<'TriggerRunsEnded', { readonly runs: readonly TriggerRunEnd[] }>
  /** Retention: nothing up to this revision is kept; what else it told, as of this entry, stands here. */
  | DomainEvent<'TriggerRunsForgotten', { readonly throughRevision: number; readonly fired: readonly FiredBefore[] }>;

export type RecordedTriggerRunEvent = Recorded<TriggerRunEvent>;

export const triggerRunCategory = 'triggerRun';

const prefix = 'trun';

/** The run of a trigger and that of its target are one, under one id: the same for the same event and trigger. */
export function triggerRunId(eventId: string, triggerId: string): string {
  return derivedId(prefix, `${eventId}/${triggerId}`);
}

export const isTriggerRun = (runId: string): boolean => runId.startsWith(`${prefix}_`);
