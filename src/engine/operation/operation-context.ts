import type { Caller } from '../../kernel/callers/caller.js';
import type { Starter } from '../../kernel/callers/starter.js';
import type { Actor, EventMetadata } from '../../kernel/event/event.js';

/** A stream that must still be at this revision when the call changes it. */
export interface ExpectedState {
  readonly stream: string;
  readonly revision: number;
  /** Throws the refusal for a stream that has another revision. @throws Refusal */
  moved(): never;
  /** Set once the change was recorded at the expected revision. */
  met?: true;
}

/** Filled by a dry run that finds out whether a call is risky. */
export interface Weighing {
  isRisky: boolean;
}

/** Context of one command or query: who calls, why and when, and how its new ids are made. */
export interface OperationContext {
  readonly workspaceId: string;
  readonly actor: Actor;
  /** Absent if the service itself acts, e.g. in a saga or on the command line. */
  readonly caller?: Caller;
  /**
   * The starter of runs that this call starts. Set if it is not the caller, i.e. if a function's code makes the call.
   */
  readonly starter?: Starter;
  /**
   * Id of the site whose visitor caused the call. The call's events then count in the quota of that site's visitors.
   */
  readonly visitedSite?: string | undefined;
  readonly operation: string;
  readonly commandId: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  /** Number of triggers in the chain that led to this call. Omitted if no trigger led to it. */
  readonly eventDepth?: number;
  /**
   * Whether the command may be sent again with the same commandId. If it is, the earlier events are found and nothing
   * is recorded twice.
   */
  readonly repeatable: boolean;
  /** Set if a repeatable command certainly runs for the first time. Earlier events are then not looked up. */
  readonly firstTime?: boolean;
  /**
   * A repeatable command cannot have recorded anything up to and including this log position. Omitted if no such
   * position is known.
   */
  readonly notBefore?: number;
  readonly at: string;
  /** The call's first change of each of these streams is refused if the stream has another revision. */
  readonly expects?: readonly ExpectedState[];
  /** The person who approved this call. An approved call needs no further approval. */
  readonly approvedBy?: Actor;
  readonly reason?: string;
  /** Aborted when the caller no longer waits for the response. A run that the call started may then be stopped. */
  readonly stop?: AbortSignal | undefined;
  /**
   * Set in a dry run that finds out whether the call is risky. The code that judges its events writes the result here.
   */
  readonly weighing?: Weighing;
  /**
   * Name of the operation whose declared effects apply. Set if the command is carried out as part of another operation;
   * default: the command's own operation.
   */
  readonly judgedAs?: string;
  /** Returns a new id `<prefix>_…`. Repetitions of a repeatable command get the same ids. */
  newId(prefix: string): string;
  /** Returns a new secret token. Repetitions of a repeatable command get the same tokens. */
  newToken(): string;
}

const calls = new WeakMap<object, OperationContext>();

/** Attaches the context to a command, so that the command itself contains only the request body. */
export function bindContext<Input extends object>(call: OperationContext, input: Input): Input {
  calls.set(input, call);
  return input;
}

export function contextOf(input: object): OperationContext {
  const call = calls.get(input);
  if (call === undefined) throw new Error(`${input.constructor.name} was sent round the pipeline.`);
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
