import type { Caller } from '../../../kernel/callers/caller.js';
import type { Owned } from '../../../kernel/callers/function-owner.js';
import type { RunSource, Starter } from '../../../kernel/callers/starter.js';
import type { Actor } from '../../../kernel/event/event.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import type { Facts } from '../../../kernel/judging/facts.js';
import type { Refusal } from '../../../kernel/refusals/refusal.js';
import type { CallingRun, LogLine } from '../../../ports/sandbox.port.js';

/** What is known of a visitor of a site when a run begins; `person` is left out for whoever has not signed in. */
export interface Visitor extends Pick<Facts, 'now' | 'throughSite' | 'person'> {
  /** The site that they visit. Left out: wherever they are judged. */
  readonly projectId?: string;
  /** A member who looks at a preview or uses an app: counts as the owner, whom no rule keeps out (settled question Q-S61). */
  readonly member?: Caller;
}

/** The visitor as another site sees them: its users are its own, so there they are nobody. */
export function visitorAt(visitor: Visitor, projectId: string): Visitor {
  const isAtHome = visitor.projectId === undefined || visitor.projectId === projectId;
  return isAtHome ? visitor : { now: visitor.now, throughSite: false, projectId };
}

/** A start of an existing function. The caller has already checked that the starter may start it. */
export interface RunRequest extends Owned {
  readonly workspaceId: string;
  readonly functionId: string;
  readonly runId: string;
  /** What the code gets as `params`. */
  readonly params: JsonObject;
  readonly source: RunSource;
  readonly starter: Starter;
  readonly actor: Actor;
  /** Shared by everything that follows from one original cause. */
  readonly correlationId: string;
  readonly causationId: string | null;
  /** The user or visitor of a site who is behind it, as access rules judge them. Left out: it acts for the owner. */
  readonly visitor?: Visitor | undefined;
  /** How many functions are above this one in the call chain: 0 when it was not started by a function. */
  readonly depth: number;
  /** How many event triggers led to one another before this run. Default: none. */
  readonly eventDepth?: number;
  /** The starter may not take anything away, so neither may the run or what it starts. Default: false. */
  readonly neverDeletes?: boolean | undefined;
  /** Keep the input of a failed accepted run for a replay. Default: true. */
  readonly keepInput?: boolean;
  /** Files were stored for this run; they are destroyed with its input. Default: false. */
  readonly hasFiles?: boolean;
  /** The accepted run that this one repeats. */
  readonly replayOf?: string | null;
  /** The version that must run, even if another is live by then. */
  readonly pinnedVersion?: string | null;
  /** The open draft, which runs in the place of the live version; no other version does. Never with `accept`. */
  readonly draftId?: string | undefined;
  /** The result will be asked for later, so it is kept sealed for a week. Default: results are not kept. */
  readonly keepsResult?: boolean;
}

export type RunReport =
  | {
      readonly ok: true;
      readonly runId: string;
      readonly result: Json;
      readonly logs: readonly LogLine[];
      readonly durationMs: number;
    }
  /** `refusal`: why a data function was refused; its sentence is the error. */
  | {
      readonly ok: false;
      readonly runId: string;
      readonly error: string;
      readonly logs: readonly LogLine[];
      readonly refusal?: Refusal | undefined;
    };

/** Runs of functions, of whatever owner. Each is recorded before it starts and when it ends, and listRuns shows it at once. */
export abstract class FunctionRuns {
  /**
   * Runs it now and waits for the end, including retries. An inactive function gives a failed run. A run that another run
   * has called is ended with its caller.
   * @throws Refusal when it could not be recorded; runs-quota or visitors-quota, with nothing recorded; and, if the starter gets the refusal directly, params-invalid or
   *   params-check-given-up, with nothing recorded
   */
  abstract run(request: RunRequest, calledBy?: CallingRun): Promise<RunReport>;

  /** Durable when it resolves; runs at least once, soon. @throws Refusal runs-quota, visitors-quota */
  abstract accept(request: RunRequest): Promise<void>;

  /** Records a failed run of a function that a trigger outlived. */
  abstract failGone(request: RunRequest): Promise<void>;

  /** The state of a run; undefined when there is none. */
  abstract find(workspaceId: string, runId: string): Promise<KnownRun | undefined>;

  /** The result of a run with `keepsResult`; undefined when there is none, or when it is no longer kept. */
  abstract result(workspaceId: string, runId: string): Promise<{ readonly result: Json } | undefined>;
}

export interface KnownRun {
  /** Accepted first and run later. */
  readonly accepted: boolean;
  readonly ended: boolean;
  /** One plain line when its last attempt failed. */
  readonly error: string | null;
}
