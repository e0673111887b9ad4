import type { Json, JsonObject } from '../../kernel/json/json.js';

/** Code as accepted by `checkProgram`. */
export interface Program {
  /** Source of one expression: an async function of (params, ctx); line numbers are the author's. */
  readonly source: string;
}

export interface LogLine {
  /** ISO 8601 UTC with milliseconds. */
  readonly at: string;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
}

/** A ctx member that reaches outside. It returns JSON; what it throws reaches the code as an error. */
export interface Capability {
  /** The path below ctx, e.g. `functions.run`. */
  readonly name: string;
  /** The arguments come from guest code and may be any JSON; this is the only place where they are validated. */
  call(args: readonly Json[], caller: CallingRun): Promise<Json>;
}

/** The run that makes a call. Code that starts another run for it passes this on as that run's `calledBy`. */
export interface CallingRun {
  /** Number of runs above it in the call chain. */
  readonly depth: number;
  /** Aborted when the run is ended from outside or lost, but not when its code finishes. */
  readonly ended: AbortSignal;
}

/**
 * Thrown by a capability: the guest gets message, code and status, and `fields` if the names of a table's fields help.
 * Any other error reaches it as 'failed'.
 */
export class CapabilityRefused extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly status: number,
    readonly fields?: readonly string[],
    /** For `workspace/explainDecision`. */
    readonly decisionId?: string,
  ) {
    super(message);
  }
}

/** Thrown by a capability: ends the run with this message as its error. */
export class RunEnded extends Error {}

export interface SandboxJob {
  /** Workspace, function and version: an isolate serves one such key. */
  readonly isolateKey: string;
  /**
   * Caused by visitors of the workspace's sites. They have a share of their own, and leave room for callers with a key.
   */
  readonly byVisitors?: boolean;
  readonly program: Program;
  readonly params: JsonObject;
  /**
   * Plain data below ctx, frozen in the guest, e.g. `{ run: { id, startedBy } }`. `sites` maps names in code to site
   * ids. Each becomes an object with the members of the capabilities named `sites.…`, whose calls get that id as first
   * argument.
   */
  readonly context: JsonObject;
  readonly capabilities: readonly Capability[];
  /** Wall-clock limit of the run, from when it gets a process. The process is killed when it is reached. */
  readonly timeoutMs: number;
  readonly captureLogs: boolean;
  /**
   * The run that waits for this one. Slots are reserved for such runs, so that callers cannot starve their callees, and
   * they are ended with their caller.
   */
  readonly calledBy?: CallingRun | undefined;
  /** Aborted when the caller that waits for the run calls it off: the run is ended. */
  readonly stop?: AbortSignal | undefined;
}

export type SandboxOutcome =
  | { readonly ok: true; readonly result: Json; readonly logs: readonly LogLine[] }
  | {
      readonly ok: false;
      /** One plain line for the author, without a stack trace or paths of the service. */
      readonly error: string;
      readonly reason: 'threw' | 'timeout' | 'memory' | 'result' | 'lost';
      readonly logs: readonly LogLine[];
    };

/**
 * Runs customer code isolated: in another process without environment or sockets, with an isolate per function version
 * and a fresh context per run. Whatever the code does, `run` resolves; it rejects only when the pool is closed. Results
 * are limited to 1 MB, logs to 256 KB.
 *
 * Capacity is shared fairly between workspaces (the part of `isolateKey` before the first slash); the visitors of a
 * workspace's sites together count as another workspace. However many runs one workspace has, and whatever they do, a
 * workspace without runs gets a slot, computes before those that have computed much, and has its calls answered. No run
 * waits forever for another of its own workspace.
 */
export abstract class Sandbox {
  abstract run(job: SandboxJob): Promise<SandboxOutcome>;

  /** Runs waiting for a process, and processes by state, for the metrics. */
  abstract load(): { readonly waiting: number; readonly running: number; readonly idle: number };

  abstract check(): Promise<void>;

  /** Waits up to `graceMs` for running jobs, then kills them. */
  abstract close(graceMs: number): Promise<void>;
}
