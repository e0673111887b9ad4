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
  /** Set if files were stored for the run, to be deleted with its input. */
  readonly hasFiles?: true;
  /** Set if the function did not exist any more when a schedule fired. */
  readonly isGone?: true;
  /** Set if a person ran the open draft, without Full data access and identity mode. */
  readonly draft?: true;
}

interface Acceptance {
  readonly depth: number;
  readonly eventDepth?: number;
  /** If omitted, a failed run's input is retained for a replay. */
  readonly keepInput?: false;
  /** Set if the result is retained, sealed, for the caller who accepted the run. */
  readonly keepsResult?: true;
  /** The run that it replays. */
  readonly replayOf?: string;
  /** Set if a key that never deletes started the run, which must then not delete anything. */
  readonly neverDeletes?: true;
  /** Set if exactly `version` is run, even if another is live when the run starts. */
  readonly pinned?: true;
}

/**
 * The journal of one function's runs, `run-<workspace>.<functionId>`. Pruned by retention, separately from the audit
 * log.
 */
export type RunEvent =
  /** Accepted but not yet started. Its input is sealed in the vault. */
  | DomainEvent<'RunAccepted', RunFacts & Acceptance>
  /** `process` is the service process that runs it. If it dies, another process records the end. */
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
        /** Time of the retry, or null if this was the last attempt. */
        readonly retryAt: string | null;
        readonly logs: readonly LogLine[];
      }
    >
  /**
   * The input of an ended run is no longer needed. The vault destroys an accepted run's input; files stored for any run
   * are destroyed too.
   */
  | DomainEvent<'RunInputDropped', { readonly runId: string; readonly hasFiles?: true }>
  /** Retention removed all journal events up to this revision. This event holds what must outlive them. */
  | DomainEvent<'RunsForgotten', { readonly throughRevision: number; readonly triggers: readonly LastUse[] }>;

/** When a trigger last started a run. */
export interface LastUse {
  readonly triggerId: string;
  readonly at: string;
}

export type RecordedRunEvent = Recorded<RunEvent>;

export const runCategory = 'run';

/** The name of an accepted run's input in the vault. */
export const runInputName = (workspaceId: string, runId: string): string => `run-input/${workspaceId}/${runId}`;

/** One attempt of a run, as the read model shows it. */
export interface RunAttempt {
  readonly number: number;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly durationMs: number | null;
  readonly error: string | null;
}

/** A run, as the read model shows it. */
export interface Run extends Document, Owned {
  readonly functionId: string;
  readonly functionName: string;
  readonly version: string;
  readonly source: RunSource;
  readonly starter: Starter;
  readonly status: 'queued' | 'running' | 'success' | 'error';
  /** Whether the run was accepted, to run later; if not, its caller waits. */
  readonly accepted: boolean;
  readonly depth: number;
  readonly eventDepth: number;
  readonly keepsResult: boolean;
  /** Whether a key that never deletes started the run. */
  readonly neverDeletes: boolean;
  readonly process: string | null;
  readonly createdAt: string;
  readonly attempts: readonly RunAttempt[];
  readonly retryAt: string | null;
  /** Revision of its first event in the journal, for retention. */
  readonly revision: number;
  readonly position: number;
  readonly correlationId: string;
  readonly causationId: string | null;
  /** Whether a failed accepted run's input is retained for a replay, until it expires or is dropped. */
  readonly keepInput: boolean;
  readonly inputDropped: boolean;
  /** Set if files were stored for the run. */
  readonly hasFiles?: true;
  /** Set if the function did not exist any more when a schedule fired. */
  readonly isGone?: true;
  /** Set if the open draft was run. */
  readonly draft?: true;
  /** The version to run, even if another is live when the run starts. */
  readonly pinnedVersion: string | null;
  /** The run that it replays, and who requested that, in words. */
  readonly replayOf: string | null;
  readonly replayedBy: string | null;
  /** The latest replays of this run, oldest first. */
  readonly replays: readonly string[];
}

/** A run's console lines, by run id. */
export interface RunLog extends Document {
  readonly functionId: string;
  readonly revision: number;
  readonly lines: readonly LogLine[];
}

/** When a trigger last started a run, by trigger id. */
export interface TriggerUse extends Document {
  /** Category of the journals with these runs, which retention prunes. Each function has its own journal. */
  readonly category: string;
  readonly functionId: string | null;
  readonly lastTriggered: string;
}
