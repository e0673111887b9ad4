import type { Caller } from '../../kernel/callers/caller.js';
import type { Starter } from '../../kernel/callers/starter.js';
import type { Actor, EventMetadata } from '../../kernel/event/event.js';

/** A stream that nobody may have changed since it was looked at. */
export interface ExpectedState {
  readonly stream: string;
  readonly revision: number;
  /** @throws Refusal */
  moved(): never;
  /** Set when it was found so and the change is recorded. */
  met?: true;
}

/** What a trial of a call finds out. */
export interface Weighing {
  isRisky: boolean;
}

/** The circumstances of one command or query: who, when, why, and fresh ids. */
export interface Call {
  readonly workspaceId: string;
  readonly actor: Actor;
  /** Absent when the service itself acts (a saga, the command line). */
  readonly caller?: Caller;
  /** Who starts what the call starts, where the caller does not say: a function, which calls as an automation does. */
  readonly starter?: Starter;
  /** The site whose visitor is behind it: what it records counts in the quota of the site's visitors. */
  readonly visitedSite?: string | undefined;
  readonly operation: string;
  readonly commandId: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  /** How many triggers led to one another before this; left out: none. */
  readonly eventDepth?: number;
  /** The command may come again with the same commandId: what it recorded the first time must be found. */
  readonly repeatable: boolean;
  /** A repeatable command that surely never came before: nothing of it has to be looked for. */
  readonly firstTime?: boolean;
  /** Position in the log at or before which a repeatable command cannot have recorded anything. Left out: unknown. */
  readonly notBefore?: number;
  readonly at: string;
  /** What the call's first change of each of these streams has to find. Left out: any state. */
  readonly expects?: readonly ExpectedState[];
  /** The person who approved this call, which had to be asked for first. It asks for nothing more. */
  readonly approvedBy?: Actor;
  /** Why its caller asks for it. */
  readonly reason?: string;
  /** Aborted when its caller no longer waits for the answer: what runs for it may be ended. */
  readonly stop?: AbortSignal | undefined;
  /** The call is only tried, to find out whether it is risky. Parts of it write here. */
  readonly weighing?: Weighing;
  /** The operation by which effects are judged, where a command is part of another. Left out: its own. */
  readonly judgedAs?: string;
  /** A new id `<prefix>_…`; the same again when a repeatable command comes again. */
  newId(prefix: string): string;
  /** A new password-like token; the same again when a repeatable command comes again. */
  newToken(): string;
}

const calls = new WeakMap<object, Call>();

/** Ties the circumstances to a command, so that the command itself is nothing but the request body. */
export function bindCall<Input extends object>(call: Call, input: Input): Input {
  calls.set(input, call);
  return input;
}

export function callOf(input: object): Call {
  const call = calls.get(input);
  if (call === undefined) throw new Error(`${input.constructor.name} was sent round the pipeline.`);
  return call;
}

export function metadataOf(call: Call): EventMetadata {
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
