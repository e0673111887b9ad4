import type { Owned } from '../../../kernel/callers/function-owner.js';
import type { RunSource, Starter } from '../../../kernel/callers/starter.js';
import type { Actor } from '../../../kernel/event/event.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { type Refusal } from '../../../kernel/refusals/refusal.js';
import type { CallingRun, LogLine } from '../../../ports/offloaded/sandbox.port.js';
import type { Visitor } from '../../access/judging/visitor.api.js';
import type { FunctionDocument } from '../function/function.record.js';

/** The sender of the request must have checked that the starter may start the function. */
export interface RunRequest extends Owned {
  readonly workspaceId: string;
  readonly functionId: string;
  readonly runId: string;
  readonly params: JsonObject;
  readonly source: RunSource;
  readonly starter: Starter;
  readonly actor: Actor;
  /** Shared by all events and runs that have one original cause. */
  readonly correlationId: string;
  readonly causationId: string | null;
  /** Access rules judge this visitor or user of the site. If omitted, the run acts for the owner. */
  readonly visitor?: Visitor | undefined;
  /** Site whose page started the run, directly or through other functions, for a visitor or a member. */
  readonly pageSite?: string;
  readonly depth: number;
  /** Number of event triggers in the chain that led to this run. Default: 0. */
  readonly eventDepth?: number;
  /** If true, neither the run nor anything that it starts may delete, because its starter may not. Default: false. */
  readonly neverDeletes?: boolean | undefined;
  /** Whether the input of a queued (accepted) run is retained for a replay if the run fails. Default: true. */
  readonly keepInput?: boolean;
  /** Whether files were stored for the run. They are destroyed together with the input. Default: false. */
  readonly hasFiles?: boolean;
  readonly replayOf?: string | null;
  /** This version runs even if another one is live when the run starts. */
  readonly pinnedVersion?: string | null;
  /** The open draft to run instead of the live version. Not allowed in queued (accepted) runs. */
  readonly draftId?: string | undefined;
  /** Whether the result is stored, encrypted, for a week. Default: false. */
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
  | {
      readonly ok: false;
      readonly runId: string;
      readonly error: string;
      readonly logs: readonly LogLine[];
      readonly refusal?: Refusal | undefined;
    };

export interface RunNow {
  readonly calledBy?: CallingRun | undefined;
  readonly found?: FunctionDocument | undefined;
  readonly stop?: AbortSignal | undefined;
  /** Set if the run's id is derived from the caller's key, so an earlier call can have begun the run. Default: false. */
  readonly repeatable?: boolean | undefined;
}
