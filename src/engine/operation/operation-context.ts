import type { Caller } from '../../kernel/callers/caller.js';
import type { Starter } from '../../kernel/callers/starter.js';
import type { Actor, EventMetadata } from '../../kernel/event/event.js';

/** A stream that must still have the revision at which it was read. */
export interface ExpectedState {
  readonly stream: string;
  readonly revision: number;
  /** @throws Refusal */
  moved(): never;
  /** Set when the revision matched and the change is recorded. */
  met?: true;
}

/** The result of a dry run that determines whether a call is risky. */
export interface Weighing {
  isRisky: boolean;
}

/** The context of one command or query: who, when, why, and the source of new ids. */
export interface OperationContext {
  readonly workspaceId: string;
  readonly actor: Actor;
  /** Absent when the service itself acts (a saga, the command line). */
  readonly caller?: Caller;
  /** The starter of runs that the call starts, if not its caller: a function, which calls as an automation. */
  readonly starter?: Starter;
  /** The site whose visitor caused the call. What it records counts in the quota of the site's visitors. */
  readonly visitedSite?: string | undefined;
  readonly operation: string;
  readonly commandId: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  /** Length of the chain of triggers that led to this call; left out: none. */
  readonly eventDepth?: number;
  /** The command may come again with the same commandId. What it recorded the first time must then be found. */
  readonly repeatable: boolean;
  /** A repeatable command that certainly did not come before, so no lookup is needed. */
  readonly firstTime?: boolean;
  /** Position in the log at or before which a repeatable command cannot have recorded anything. Left out: unknown. */
  readonly notBefore?: number;
  readonly at: string;
  /** The revisions that the call's first change of each of these streams must find. Left out: any. */
  readonly expects?: readonly ExpectedState[];
  /** The person who approved this call. It needs no further approval. */
  readonly approvedBy?: Actor;
  readonly reason?: string;
  /** Aborted when the caller no longer waits for the answer: its runs may be ended. */
  readonly stop?: AbortSignal | undefined;
  /** Set in a dry run that determines whether the call is risky. Parts of the call write to it. */
  readonly weighing?: Weighing;
  /** The operation whose declared effects apply, where a command is part of another operation. Left out: its own. */
  readonly judgedAs?: string;
  /** A new id `<prefix>_…`. Repetitions of a repeatable command get the same ids. */
  newId(prefix: string): string;
  /** A new secret token. Repetitions of a repeatable command get the same tokens. */
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
