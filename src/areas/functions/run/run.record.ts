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
  /** Stored files are deleted together with the run's input. */
  readonly hasFiles?: true;
  readonly isGone?: true;
  /** Set if a person ran the open draft. A draft runs without Full data access. */
  readonly draft?: true;
}

interface Acceptance {
  readonly depth: number;
  readonly eventDepth?: number;
  /** Set if a failed run's input is not retained for a replay. */
  readonly keepInput?: false;
  /** Set if the result is stored, encrypted, for the caller who queued the run. */
  readonly keepsResult?: true;
  readonly replayOf?: string;
  readonly neverDeletes?: true;
  /** Set if exactly `version` must run, even if another version is live when the run starts. */
  readonly pinned?: true;
}

/** Retention removes old events. The events are not part of the audit log. */
export type RunEvent =
  /** The run is queued but not started. Its input is stored encrypted in the vault. */
  | DomainEvent<'RunAccepted', RunFacts & Acceptance>
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
        /** Null if this was the last attempt. */
        readonly retryAt: string | null;
        readonly logs: readonly LogLine[];
      }
    >
  | DomainEvent<'RunInputDropped', { readonly runId: string; readonly hasFiles?: true }>
  | DomainEvent<
      'RunsForgotten',
      {
        readonly throughRevision: number;
        readonly triggers: readonly LastUse[];
        /**
         * Of all removed runs that began at this log position or later, what had started them knows the ends. Omitted
         * for functions of the workspace, and by earlier versions, which removed runs without passing their ends on.
         */
        readonly endsKnownFrom?: number;
      }
    >;

export interface LastUse {
  readonly triggerId: string;
  readonly at: string;
}

export type RecordedRunEvent = Recorded<RunEvent>;

export const runCategory = 'run';

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
  readonly accepted: boolean;
  readonly depth: number;
  readonly eventDepth: number;
  readonly keepsResult: boolean;
  readonly neverDeletes: boolean;
  readonly process: string | null;
  readonly createdAt: string;
  readonly attempts: readonly RunAttempt[];
  readonly retryAt: string | null;
  /** Journal revision of the run's first event. */
  readonly revision: number;
  readonly position: number;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly keepInput: boolean;
  readonly inputDropped: boolean;
  readonly hasFiles?: true;
  readonly isGone?: true;
  readonly draft?: true;
  /** This version runs even if another one is live when the run starts. */
  readonly pinnedVersion: string | null;
  readonly replayOf: string | null;
  readonly replayedBy: string | null;
  /** The latest replays, oldest first. */
  readonly replays: readonly string[];
}

/** The document's id is the run's id. */
export interface RunLog extends Document {
  readonly functionId: string;
  readonly revision: number;
  readonly lines: readonly LogLine[];
}

/** The document's id is the trigger's id. */
export interface TriggerUse extends Document {
  /** Category of the streams that record the runs started by the trigger. */
  readonly category: string;
  readonly functionId: string | null;
  readonly lastTriggered: string;
}
