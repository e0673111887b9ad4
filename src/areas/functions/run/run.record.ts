import type { Owned } from '../../../kernel/callers/function-owner.js';
import type { RunSource, Starter } from '../../../kernel/callers/starter.js';
import type { DomainEvent, Recorded } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { LogLine } from '../../../ports/sandbox.port.js';

interface RunFacts extends Owned {
  readonly runId: string;
  readonly functionName: string;
  /** The function's version that runs. */
  readonly version: string;
  readonly source: RunSource;
  readonly starter: Starter;
  /** Files were stored for it. They are deleted with its input. */
  readonly hasFiles?: true;
  /** The function was gone when a schedule fired at it. */
  readonly isGone?: true;
  /** A person ran the open draft, without Full data access and the identity mode. */
  readonly draft?: true;
}

interface Acceptance {
  readonly depth: number;
  readonly eventDepth?: number;
  /** When absent, the input of a failed run is kept for a replay. */
  readonly keepInput?: false;
  /** The result is kept sealed for the caller who accepted the run. */
  readonly keepsResult?: true;
  /** The run that it repeats. */
  readonly replayOf?: string;
  /** Started by a key that never deletes, so nothing this run does may delete. */
  readonly neverDeletes?: true;
  /** Run exactly `version`, whichever version is live by then. */
  readonly pinned?: true;
}

/**
 * The journal of one function's runs, `run-<workspace>.<functionId>`. Pruned by retention, separately from the audit
 * log.
 */
export type RunEvent =
  /** Requested but not yet started. Its input is sealed in the vault. */
  | DomainEvent<'RunAccepted', RunFacts & Acceptance>
  /** `process` is the service process that runs it. If that process dies, it will never record the end. */
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
        /** One plain line; null: it succeeded. */
        readonly error: string | null;
        readonly durationMs: number;
        /** When it is retried. Null: this was the last attempt. */
        readonly retryAt: string | null;
        readonly logs: readonly LogLine[];
      }
    >
  /**
   * The run is over and its input will not be needed again. The vault destroys an accepted run's input, and files
   * stored for any run are destroyed too.
   */
  | DomainEvent<'RunInputDropped', { readonly runId: string; readonly hasFiles?: true }>
  /** Retention removed every journal event up to this revision. This event keeps what must outlive them. */
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
  /** Accepted first and run later, rather than waited for. */
  readonly accepted: boolean;
  readonly depth: number;
  readonly eventDepth: number;
  readonly keepsResult: boolean;
  /** A key that never deletes started it. */
  readonly neverDeletes: boolean;
  readonly process: string | null;
  readonly createdAt: string;
  readonly attempts: readonly RunAttempt[];
  readonly retryAt: string | null;
  /** Revision of its first event in the journal. Retention goes by it. */
  readonly revision: number;
  readonly position: number;
  readonly correlationId: string;
  readonly causationId: string | null;
  /** If an accepted run fails, its input is kept for a replay until its days are over or it is dropped. */
  readonly keepInput: boolean;
  readonly inputDropped: boolean;
  /** Files were stored for it. */
  readonly hasFiles?: true;
  /** The function was gone when a schedule fired at it. */
  readonly isGone?: true;
  /** The open draft ran, before it was live. */
  readonly draft?: true;
  /** The version that has to run, whichever is live by then. */
  readonly pinnedVersion: string | null;
  /** The run that it repeats, and who asked for that, in words. */
  readonly replayOf: string | null;
  readonly replayedBy: string | null;
  /** The latest runs that repeat it, oldest first. */
  readonly replays: readonly string[];
}

/** The console lines of a run, under the run's id. */
export interface RunLog extends Document {
  readonly functionId: string;
  readonly revision: number;
  readonly lines: readonly LogLine[];
}

/** When a trigger last started a run, under the trigger's id. */
export interface TriggerUse extends Document {
  /** The category of the journals of those runs, which retention prunes. Each function has its own journal. */
  readonly category: string;
  readonly functionId: string | null;
  readonly lastTriggered: string;
}
