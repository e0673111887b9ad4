import type { Owned } from '../../../kernel/callers/function-owner.js';
import type { RunSource, Starter } from '../../../kernel/callers/starter.js';
import type { Actor } from '../../../kernel/event/event.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { type Refusal } from '../../../kernel/refusals/refusal.js';
import type { CallingRun, LogLine } from '../../../ports/offloaded/sandbox.port.js';
import type { Visitor } from '../../access/judging/visitor.api.js';
import type { FunctionDocument } from '../function/function.record.js';

/** A start of an existing function, already authorised by the caller. */
export interface RunRequest extends Owned {
  readonly workspaceId: string;
  readonly functionId: string;
  readonly runId: string;
  /** Passed to the code as `params`. */
  readonly params: JsonObject;
  readonly source: RunSource;
  readonly starter: Starter;
  readonly actor: Actor;
  /** Shared by everything with the same original cause. */
  readonly correlationId: string;
  readonly causationId: string | null;
  /** The site's user or visitor behind the run, as access rules judge them. If omitted, the run acts for the owner. */
  readonly visitor?: Visitor | undefined;
  /** Functions above this one in the call chain: 0 if no function started it. */
  readonly depth: number;
  /** Event triggers that led to this run, one by another. Default: 0. */
  readonly eventDepth?: number;
  /** Neither the run nor what it starts may delete, because its starter may not. Default: false. */
  readonly neverDeletes?: boolean | undefined;
  /** Retain a failed accepted run's input for a replay. Default: true. */
  readonly keepInput?: boolean;
  /** Files were stored for this run and are destroyed with its input. Default: false. */
  readonly hasFiles?: boolean;
  /** The accepted run that this one replays. */
  readonly replayOf?: string | null;
  /** The version to run, even if another is live by then. */
  readonly pinnedVersion?: string | null;
  /** Run this open draft instead of the live version. Never with `accept`. */
  readonly draftId?: string | undefined;
  /** Retain the result, sealed, for a week. Default: false. */
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
  /** `refusal`: why a data function was refused; `error` is its sentence. */
  | {
      readonly ok: false;
      readonly runId: string;
      readonly error: string;
      readonly logs: readonly LogLine[];
      readonly refusal?: Refusal | undefined;
    };

/** For a run whose caller waits. */
export interface RunNow {
  readonly calledBy?: CallingRun | undefined;
  readonly found?: FunctionDocument | undefined;
  /** Aborted when the caller calls the run off. */
  readonly stop?: AbortSignal | undefined;
}
