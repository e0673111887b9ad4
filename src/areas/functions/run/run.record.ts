import type { DomainEvent, Recorded } from '../../../kernel/event.js';
import type { RunSource, Starter } from '../../../kernel/starter.js';
import type { LogLine } from '../../../ports/sandbox.port.js';

interface RunFacts {
  readonly runId: string;
  readonly functionName: string;
  /** The function's version that runs. */
  readonly version: string;
  readonly source: RunSource;
  readonly starter: Starter;
  /** Files were put away for it, which go with its input. */
  readonly hasFiles?: true;
}

interface Acceptance {
  readonly depth: number;
  readonly eventDepth?: number;
  /** Left out: when the run fails, its input is kept for a replay. */
  readonly keepInput?: false;
  /** Its result is kept sealed for whoever accepted it. */
  readonly keepsResult?: true;
  /** The run that it repeats. */
  readonly replayOf?: string;
  /** A key that never deletes started it: nothing that it does may take something away. */
  readonly neverDeletes?: true;
  /** `version` has to run, whichever is live by then. */
  readonly pinned?: true;
}

/** The journal of one function's runs, `run-<workspace>.<functionId>`; pruned by retention, apart from the audit. */
export type RunEvent =
  /** Asked for and not yet started: its input lies sealed in the vault. */
  | DomainEvent<'RunAccepted', RunFacts & Acceptance>
  /** `process` is the service process it runs in: one that is no longer there never ends it. */
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
        /** When it is tried again; null: this was the last attempt. */
        readonly retryAt: string | null;
        readonly logs: readonly LogLine[];
      }
    >
  /**
   * A run is over, and nothing will ask for its input again: the vault destroys that of an accepted one, and files that
   * were put away for a run are destroyed too.
   */
  | DomainEvent<'RunInputDropped', { readonly runId: string; readonly hasFiles?: true }>
  /** Retention: every event of the journal up to this revision is no longer kept; what else they told stands here. */
  | DomainEvent<'RunsForgotten', { readonly throughRevision: number; readonly triggers: readonly LastUse[] }>;

/** When a trigger last started a run. */
export interface LastUse {
  readonly triggerId: string;
  readonly at: string;
}

export type RecordedRunEvent = Recorded<RunEvent>;

export const runCategory = 'run';

/** Where the vault holds an accepted run's input. */
export const runInputName = (workspaceId: string, runId: string): string => `run-input/${workspaceId}/${runId}`;
