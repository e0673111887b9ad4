import type { Caller } from '../../kernel/callers/caller.js';
import type { Starter } from '../../kernel/callers/starter.js';
import type { Actor, EventMetadata } from '../../kernel/event/event.js';

export interface ExpectedState {
  readonly stream: string;
  readonly revision: number;
  moved(): never;
  met?: true;
}

export interface Weighing {
  isRisky: boolean;
}

export interface OperationContext {
  readonly workspaceId: string;
  readonly actor: Actor;
  /** Undefined if the service itself acts, e.g. in a saga or on the command line. */
  readonly caller?: Caller;
  /** Starter of the runs that the call requests. Set only if a function's code makes the call. */
  readonly starter?: Starter;
  /** Id of a site. If set, the call's events count in the quota of this site's visitors. */
  readonly visitedSite?: string | undefined;
  readonly operation: string;
  readonly commandId: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  /** Number of triggers in the chain that led to this call. */
  readonly eventDepth?: number;
  /** If true, the command may be sent again with the same commandId, and nothing is recorded twice. */
  readonly repeatable: boolean;
  /** Set if the call is known to be the first attempt. Events of an earlier attempt are then not looked up. */
  readonly firstTime?: boolean;
  /** Log position. If the command is repeatable, any events that it has recorded are after this position. */
  readonly notBefore?: number;
  readonly at: string;
  /**
   * Revisions that streams are expected to have. If one of these streams has another revision, the call's first change
   * of it is refused.
   */
  readonly expects?: readonly ExpectedState[];
  /** An approved call needs no further approval. */
  readonly approvedBy?: Actor;
  readonly reason?: string;
  /** Aborted when the caller no longer waits for the response. A run that the call started may then be stopped. */
  readonly stop?: AbortSignal | undefined;
  readonly weighing?: Weighing;
  /**
   * Name of the operation whose declared effects apply, if the command is carried out as part of another operation.
   * Default: `operation`.
   */
  readonly judgedAs?: string;
  /** Repetitions of a repeatable command get the same ids. */
  newId(prefix: string): string;
  /** Repetitions of a repeatable command get the same tokens. */
  newToken(): string;
}

const calls = new WeakMap<object, OperationContext>();

export function bindContext<Input extends object>(call: OperationContext, input: Input): Input {
  calls.set(input, call);
  return input;
}

export function contextOf(input: object): OperationContext {
  const call = calls.get(input);
  if (call === undefined)
    throw new Error(`${input.constructor.name} was executed without the pipeline; send it through the pipeline.`);
  return call;
}

export function metadataOf(call: OperationContext): EventMetadata {
  return {
    workspaceId: call.workspaceId,
    actor: call.actor,
    correlationId: call.correlationId,
    causationId: call.causationId,
    ...(call.approvedBy === undefined ? {} : { approvedBy: call.approvedBy }),
    ...(call.reason === undefined ? {} : { reason: call.reason }),
    commandId: call.commandId,
    operation: call.operation,
    at: call.at,
  };
}
