import type { Owned } from '../../../kernel/callers/function-owner.js';
import type { RunSource, Starter } from '../../../kernel/callers/starter.js';
import type { Actor } from '../../../kernel/event/event.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { type Refusal } from '../../../kernel/refusals/refusal.js';
import type { CallingRun, LogLine } from '../../../ports/offloaded/sandbox.port.js';
import type { Visitor } from '../../access/judging/visitor.api.js';
import type { FunctionDocument } from '../function/function.record.js';

/** A request to run an existing function. The sender of the request has already authorised it. */
export interface RunRequest extends Owned {
  readonly workspaceId: string;
  readonly functionId: string;
  readonly runId: string;
  /** Passed to the code as `params`. */
  readonly params: JsonObject;
  readonly source: RunSource;
  readonly starter: Starter;
  readonly actor: Actor;
  /** Identifies everything that has the same original cause. */
  readonly correlationId: string;
  readonly causationId: string | null;
  /**
   * The site's visitor or user on whose behalf the function runs. Access rules judge them. If omitted, the run acts for
   * the owner.
   */
  readonly visitor?: Visitor | undefined;
  /** Number of functions above this one in the call chain. 0 if no function started it. */
  readonly depth: number;
  /** Number of event triggers in the chain that led to this run. Default: 0. */
  readonly eventDepth?: number;
  /** If true, neither the run nor anything that it starts may delete, because its starter may not. Default: false. */
  readonly neverDeletes?: boolean | undefined;
  /** Whether the input of an accepted run is retained for a replay if the run fails. Default: true. */
  readonly keepInput?: boolean;
  /** Whether files were stored for this run. They are destroyed together with its input. Default: false. */
  readonly hasFiles?: boolean;
  /** The accepted run that this one replays. */
  readonly replayOf?: string | null;
  /** The version to run, even if another version is live when the run starts. */
  readonly pinnedVersion?: string | null;
  /** The open draft to run instead of the live version. Not allowed in accepted runs. */
  readonly draftId?: string | undefined;
  /** Whether the sealed result is retained for a week. Default: false. */
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
  /** If a data function was refused, `refusal` is set and `error` is its message. */
  | {
      readonly ok: false;
      readonly runId: string;
      readonly error: string;
      readonly logs: readonly LogLine[];
      readonly refusal?: Refusal | undefined;
    };

/** Options of a run whose caller waits for the end. */
export interface RunNow {
  readonly calledBy?: CallingRun | undefined;
  readonly found?: FunctionDocument | undefined;
  /** Aborted when the caller cancels the run. */
  readonly stop?: AbortSignal | undefined;
}
