import type { Caller } from '../../kernel/callers/caller.js';
import type { Starter } from '../../kernel/callers/starter.js';
import type { Actor, EventMetadata } from '../../kernel/event/event.js';

/** A stream whose revision must still be the one at which it was read. */
export interface ExpectedState {
  readonly stream: string;
  readonly revision: number;
  /** @throws Refusal */
  moved(): never;
  /** Set when the revision matched and the change is recorded. */
  met?: true;
}

/** Result of a dry run that finds out whether a call is risky. */
export interface Weighing {
  isRisky: boolean;
}

/** Context of one command or query: actor, cause, time, and the source of new ids. */
export interface OperationContext {
  readonly workspaceId: string;
  readonly actor: Actor;
  /** Absent if the service itself acts (a saga, the command line). */
  readonly caller?: Caller;
  /**
   * The starter of the runs that the call starts, if it is not the caller: a function, which calls as an automation.
   */
  readonly starter?: Starter;
  /** Id of the site whose visitor caused the call. Its events count in the quota of the site's visitors. */
  readonly visitedSite?: string | undefined;
  readonly operation: string;
  readonly commandId: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  /** Length of the chain of triggers that led to this call. Omitted if there is none. */
  readonly eventDepth?: number;
  /**
   * Whether the command may be repeated with the same commandId. The repetition must then find what was recorded the
   * first time.
   */
  readonly repeatable: boolean;
  /** Set for a repeatable command that certainly runs for the first time, so no lookup is needed. */
  readonly firstTime?: boolean;
  /** Log position up to which (inclusive) a repeatable command cannot have recorded anything. Omitted if unknown. */
  readonly notBefore?: number;
  readonly at: string;
  /** Revisions that the call's first change of each of these streams must find. If omitted, any revision will do. */
  readonly expects?: readonly ExpectedState[];
  /** The person who approved this call. It needs no further approval. */
  readonly approvedBy?: Actor;
  readonly reason?: string;
  /** Aborted when the caller no longer waits for the response: the call's runs may be ended. */
  readonly stop?: AbortSignal | undefined;
  /** Set in a dry run that finds out whether the call is risky. Parts of the call write to it. */
  readonly weighing?: Weighing;
  /**
   * The operation whose declared effects apply if the command is part of another operation. Default: the command's own
   * operation.
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
