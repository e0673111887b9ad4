import type { ActorKind } from '../callers/caller.js';

/** A domain event before it is recorded: a fact's name (noun and past participle) and its JSON data. */
export interface DomainEvent<Type extends string = string, Data extends object = object> {
  readonly type: Type;
  readonly data: Data;
}

/** Who acted. `personBehind` is the person a connection or an agent acts for. */
export interface Actor {
  readonly kind: ActorKind;
  readonly id: string;
  readonly name: string;
  readonly personBehind?: { readonly id: string; readonly name: string };
  /** Ids of other members who count as having done it: see Caller. Default: none. */
  readonly makers?: readonly string[];
}

/** Recorded beside every event's data. */
export interface EventMetadata {
  readonly workspaceId: string;
  readonly actor: Actor;
  /** Shared by everything that follows from one command: the id of that first command. */
  readonly correlationId: string;
  /** The id of the event that led to this command; null for a caller's request. */
  readonly causationId: string | null;
  /** The person who approved the call. Left out: it needed no approval. */
  readonly approvedBy?: Actor;
  /** The reason that the caller gave. Left out: none. */
  readonly reason?: string;
  /**
   * The event deleted a record, and others get a notice. `name`: the record's; empty if it has none or it is personal.
   */
  readonly taken?: { readonly name: string };
  /** The command that recorded the event; a command never records twice. */
  readonly commandId: string;
  /** The operation, e.g. `automations/createFunction`, or the name of the saga or engine part. */
  readonly operation: string;
  /** Time of the decision, ISO 8601 UTC with milliseconds. */
  readonly at: string;
  /** A version that does not know the event's type must not continue past it. Left out: it may. */
  readonly mustUnderstand?: true;
}

/** An event to be recorded. `id` is a UUID: the same id is never recorded twice in a stream. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly metadata: EventMetadata;
}

/** An event as read from the store. */
export interface RecordedEvent<Type extends string = string, Data extends object = object>
  extends DomainEvent<Type, Data> {
  readonly id: string;
  readonly stream: string;
  /** Number in its stream, from 0 without gaps. */
  readonly revision: number;
  /** Number in the whole log: increasing, with gaps. */
  readonly position: number;
  readonly metadata: EventMetadata;
}

/** Turns a union of domain events into the same union as recorded. */
export type Recorded<E extends DomainEvent> = E extends DomainEvent<infer T, infer D> ? RecordedEvent<T, D> : never;
