import type { Actor } from '../kernel/event.js';
import type { Json, JsonObject } from '../kernel/json.js';
import type { RunSource, Starter } from '../kernel/starter.js';
import type { CallingRun, LogLine } from './sandbox.port.js';

/** A start of a function that is there. Whether this starter may start it was judged by whoever asks. */
export interface RunRequest {
  readonly workspaceId: string;
  readonly functionId: string;
  readonly runId: string;
  /** What the code gets as `params`. */
  readonly params: JsonObject;
  readonly source: RunSource;
  readonly starter: Starter;
  readonly actor: Actor;
  /** One per chain of effects. */
  readonly correlationId: string;
  readonly causationId: string | null;
  /** How many functions stand above this one: 0 when it was not started by a function. */
  readonly depth: number;
  /** How many triggers led to one another before this run; left out: none. */
  readonly eventDepth?: number;
  /** Whoever starts it may take nothing away, and so may the run and what it starts. Left out: it may. */
  readonly neverDeletes?: boolean | undefined;
  /** The input of an accepted run that failed is kept for a replay; left out: it is. */
  readonly keepInput?: boolean;
  /** Files of its own were put away for it: they go with its input. Left out: none. */
  readonly hasFiles?: boolean;
  /** The accepted run that this one repeats. */
  readonly replayOf?: string | null;
  /** The version that has to run, whichever is live by then. */
  readonly pinnedVersion?: string | null;
  /** Whoever accepts it comes for its result: it lies sealed for a week. Left out: results are not kept. */
  readonly keepsResult?: boolean;
}

export type RunReport =
  | { readonly ok: true; readonly runId: string; readonly result: Json; readonly logs: readonly LogLine[] }
  | { readonly ok: false; readonly runId: string; readonly error: string; readonly logs: readonly LogLine[] };

/** Runs of account functions. Each is recorded before it starts and when it ends, and shows in listRuns at once. */
export abstract class FunctionRuns {
  /**
   * Runs it now and waits for the end, later attempts included. A function that is inactive is a failed run. One that
   * another run has called is ended with its caller.
   * @throws Refusal when it could not be recorded; and params-invalid or params-check-given-up, with nothing recorded,
   *   where the starter hears it
   */
  abstract run(request: RunRequest, calledBy?: CallingRun): Promise<RunReport>;

  /** Durable when it resolves; runs at least once, soon. */
  abstract accept(request: RunRequest): Promise<void>;

  /** What is known of a run, or undefined when there is none. */
  abstract find(workspaceId: string, runId: string): Promise<KnownRun | undefined>;

  /** What a run that keeps its result came to; undefined when there is none, or when it is no longer kept. */
  abstract result(workspaceId: string, runId: string): Promise<{ readonly result: Json } | undefined>;
}

export interface KnownRun {
  /** Accepted first and run later. */
  readonly accepted: boolean;
  readonly ended: boolean;
  /** One plain line when its last attempt failed. */
  readonly error: string | null;
}
