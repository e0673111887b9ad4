import type { Owned } from '../../../kernel/callers/function-owner.js';
import type { RunSource, Starter } from '../../../kernel/callers/starter.js';
import type { Actor } from '../../../kernel/event/event.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { type Refusal } from '../../../kernel/refusals/refusal.js';
import type { CallingRun, LogLine } from '../../../ports/sandbox.port.js';
import type { Visitor } from '../../access/judging/visitor.api.js';
import type { AccountFunction } from '../function/function.record.js';

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

/** For a run that its caller waits for. */
export interface RunNow {
  readonly calledBy?: CallingRun | undefined;
  readonly found?: AccountFunction | undefined;
  /** Aborted when the caller calls the run off. */
  readonly stop?: AbortSignal | undefined;
}
