import type { Json, JsonObject } from '../../kernel/json/json.js';

export interface Program {
  /** Source of one expression, an async function of (params, ctx). Its line numbers are those of the author's code. */
  readonly source: string;
}

export interface LogLine {
  readonly at: string;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
}

export interface Capability {
  readonly name: string;
  /** The arguments come from guest code and may be any JSON. Only this method validates them. */
  call(args: readonly Json[], caller: CallingRun): Promise<Json>;
}

/** The run that makes a call. If the call starts another run, this is passed to that run as its `calledBy`. */
export interface CallingRun {
  readonly depth: number;
  /** Aborted when the run is ended from outside or lost, but not when its code finishes. */
  readonly ended: AbortSignal;
}

/**
 * The guest gets an error with the message, `code`, `status` and, if set, `fields` (the names of a table's fields) and
 * `decisionId`. Any other error reaches the guest as 'failed'.
 */
export class CapabilityRefused extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly status: number,
    readonly fields?: readonly string[],
    readonly decisionId?: string,
  ) {
    super(message);
  }
}

/** Thrown by a capability to end the run with this message as its error. */
export class RunEnded extends Error {}

export interface SandboxJob {
  /**
   * Workspace id, then names that the caller chooses, separated by slashes. Runs with the same key may use the same
   * isolate, one after another and each in a context of its own. An isolate serves only one key.
   */
  readonly isolateKey: string;
  /**
   * Whether visitors of the workspace's sites caused the run. Visitors' runs have their own share of the capacity, so
   * that they leave room for other runs.
   */
  readonly byVisitors?: boolean;
  readonly program: Program;
  readonly params: JsonObject;
  /**
   * Plain data below ctx, frozen in the guest, e.g. `{ run: { id, startedBy } }`. Only `sites` is special. It maps the
   * name or id of each site that the code may use to the site's id, the id of any other site to null, and an ambiguous
   * name to several ids, so that its use throws. In the guest, each site has the capabilities named `sites.…`, whose
   * calls get the site's id as first argument.
   */
  readonly context: JsonObject;
  readonly capabilities: readonly Capability[];
  /**
   * Wall-clock limit of the run, in milliseconds from when it gets a process. When the limit is reached, the process is
   * killed.
   */
  readonly timeoutMs: number;
  readonly captureLogs: boolean;
  /**
   * The run that waits for this one. Slots are reserved for runs with a caller, so that callers cannot starve their
   * callees. This run is ended when `ended` of the calling run is aborted.
   */
  readonly calledBy?: CallingRun | undefined;
  readonly stop?: AbortSignal | undefined;
}

export type SandboxOutcome =
  | { readonly ok: true; readonly result: Json; readonly logs: readonly LogLine[] }
  | {
      readonly ok: false;
      /** One line of plain text for the author, without a stack trace or paths of the service. */
      readonly error: string;
      readonly reason: 'threw' | 'timeout' | 'memory' | 'result' | 'lost';
      readonly logs: readonly LogLine[];
    };

/**
 * Runs customer code in isolation: in another process without environment or sockets, with isolates that serve one key,
 * and a fresh context per run. `run` rejects only if the pool is closed. Results are limited to 1 MB, logs to 256 KB.
 * Capacity is shared fairly between workspaces (the part of `isolateKey` before the first slash). The visitors of a
 * workspace's sites together are treated as another workspace. However busy one workspace is, the first run of another
 * workspace gets a slot, and has precedence over runs that have already computed for long. No run waits forever for
 * another run of its own workspace.
 */
export abstract class Sandbox {
  abstract run(job: SandboxJob): Promise<SandboxOutcome>;

  abstract load(): { readonly waiting: number; readonly running: number; readonly idle: number };

  abstract check(): Promise<void>;

  /** Waits up to `graceMs` milliseconds for running jobs, then kills them. */
  abstract close(graceMs: number): Promise<void>;
}
