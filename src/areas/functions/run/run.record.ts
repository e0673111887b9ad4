import type { Owned } from '../../../kernel/callers/function-owner.js';
import type { RunSource, Starter } from '../../../kernel/callers/starter.js';
import type { DomainEvent, Recorded } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { LogLine } from '../../../ports/offloaded/sandbox.port.js';

interface RunFacts extends Owned {
  readonly runId: string;
  readonly functionName: string;
  readonly version: string;
  readonly source: RunSource;
  readonly starter: Starter;
  /** Set if files were stored for the run. They are deleted together with its input. */
  readonly hasFiles?: true;
  /** Set if the function no longer existed when a schedule fired. */
  readonly isGone?: true;
  /** Set if a person ran the open draft. The draft ran without Full data access and identity mode. */
  readonly draft?: true;
}

interface Acceptance {
  readonly depth: number;
  readonly eventDepth?: number;
  /** Set if a failed run's input is not retained for a replay. */
  readonly keepInput?: false;
  /** Set if the sealed result is retained for the caller who accepted the run. */
  readonly keepsResult?: true;
  /** The run that this one replays. */
  readonly replayOf?: string;
  /** Set if the starter of the run is not allowed to delete, so the run must not delete anything either. */
  readonly neverDeletes?: true;
  /** Set if exactly `version` must run, even if another version is live when the run starts. */
  readonly pinned?: true;
}

/**
 * Events of one function's runs, in the journal `run-<workspace>.<functionId>`. Retention removes old ones. The events
 * are not part of the audit log.
 */
export type RunEvent =
  /** The run is accepted but not started. Its input is sealed in the vault. */
  | DomainEvent<'RunAccepted', RunFacts & Acceptance>
  /** `process` is the service process that makes the attempt. If it dies, another process records the end. */
  | DomainEvent<
      'RunStarted',
      RunFacts & {
        readonly attempt: number;
        readonly process: string;
        readonly accepted: boolean;
        readonly eventDepth?: number;
      }
    >
  | DomainEvent<
      'RunEnded',
      {
        readonly runId: string;
        readonly attempt: number;
        /** Plain text without line breaks, or null if the attempt succeeded. */
        readonly error: string | null;
        readonly durationMs: number;
        /** Time of the next attempt, or null if this was the last one. */
        readonly retryAt: string | null;
        readonly logs: readonly LogLine[];
      }
    >
  /** The input of an ended run is no longer needed. The vault destroys it, and stored files are destroyed too. */
  | DomainEvent<'RunInputDropped', { readonly runId: string; readonly hasFiles?: true }>
  /** Retention removed all journal events up to `throughRevision`. This event holds the facts that outlive them. */
  | DomainEvent<'RunsForgotten', { readonly throughRevision: number; readonly triggers: readonly LastUse[] }>;

/** The time when a trigger last started a run. */
export interface LastUse {
  readonly triggerId: string;
  readonly at: string;
}

export type RecordedRunEvent = Recorded<RunEvent>;

export const runCategory = 'run';

/** Returns the vault name of an accepted run's input. */
export const runInputName = (workspaceId: string, runId: string): string => `run-input/${workspaceId}/${runId}`;

export interface RunAttempt {
  readonly number: number;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly durationMs: number | null;
  readonly error: string | null;
}

export interface Run extends Document, Owned {
  readonly functionId: string;
  readonly functionName: string;
  readonly version: string;
  readonly source: RunSource;
  readonly starter: Starter;
  readonly status: 'queued' | 'running' | 'success' | 'error';
  /** Whether the run was accepted to run later, instead of while its caller waited. */
  readonly accepted: boolean;
  readonly depth: number;
  readonly eventDepth: number;
  readonly keepsResult: boolean;
  /** Whether the starter of the run is not allowed to delete. */
  readonly neverDeletes: boolean;
  readonly process: string | null;
  readonly createdAt: string;
  readonly attempts: readonly RunAttempt[];
  readonly retryAt: string | null;
  /** Journal revision of the run's first event, for retention. */
  readonly revision: number;
  readonly position: number;
  readonly correlationId: string;
  readonly causationId: string | null;
  /** Whether the input is retained for a replay if the run fails. */
  readonly keepInput: boolean;
  readonly inputDropped: boolean;
  /** Set if files were stored for the run. */
  readonly hasFiles?: true;
  /** Set if the function no longer existed when a schedule fired. */
  readonly isGone?: true;
  /** Set if the run used the open draft. */
  readonly draft?: true;
  /** The version to run, even if another version is live when the run starts. */
  readonly pinnedVersion: string | null;
  /** The run that this one replays, and a phrase that names who requested the replay. */
  readonly replayOf: string | null;
  readonly replayedBy: string | null;
  /** The latest replays of this run, oldest first. */
  readonly replays: readonly string[];
}

/** Console output of a run. The document's id is the run's id. */
export interface RunLog extends Document {
  readonly functionId: string;
  readonly revision: number;
  readonly lines: readonly LogLine[];
}

/** The time when a trigger last started a run. The document's id is the trigger's id. */
export interface TriggerUse extends Document {
  /** Category of the journals that contain the trigger's runs. Each function has its own journal of this category. */
  readonly category: string;
  readonly functionId: string | null;
  readonly lastTriggered: string;
}
