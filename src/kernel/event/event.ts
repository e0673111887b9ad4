import type { ActorKind } from '../callers/caller.js';

/** `type` is named as a fact (noun and past participle), and `data` is JSON. */
export interface DomainEvent<Type extends string = string, Data extends object = object> {
  readonly type: Type;
  readonly data: Data;
}

export interface Actor {
  readonly kind: ActorKind;
  readonly id: string;
  readonly name: string;
  readonly personBehind?: { readonly id: string; readonly name: string };
  readonly makers?: readonly string[];
}

export interface EventMetadata {
  readonly workspaceId: string;
  readonly actor: Actor;
  /** Id of the first command in the chain, shared by all events that follow from that command. */
  readonly correlationId: string;
  /** Id of the event or run that led to the command, or null if the command was a caller's request. */
  readonly causationId: string | null;
  readonly approvedBy?: Actor;
  readonly reason?: string;
  /**
   * Set if the event deleted a record and other people get a notice about it. `name` is empty if the record has no name
   * or the name is personal.
   */
  readonly taken?: { readonly name: string };
  /** All events of a command have this id. They are never recorded twice. */
  readonly commandId: string;
  /** For example `automations/createFunction`, or the name of the saga or engine part that acted. */
  readonly operation: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly at: string;
  /** A version of the service that does not know the event's type must not continue past the event. */
  readonly mustUnderstand?: true;
}

/** `id` is a UUID that is never recorded twice in a stream. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly metadata: EventMetadata;
}

export interface RecordedEvent<Type extends string = string, Data extends object = object>
  extends DomainEvent<Type, Data> {
  readonly id: string;
  readonly stream: string;
  /** Number in the stream, from 0 without gaps. */
  readonly revision: number;
  /** Number in the whole log, increasing, with gaps. */
  readonly position: number;
  readonly metadata: EventMetadata;
}

export type Recorded<E extends DomainEvent> = E extends DomainEvent<infer T, infer D> ? RecordedEvent<T, D> : never;
