import type { ActorKind } from '../callers/caller.js';

/** A domain event before it is recorded: a type, named as a fact (noun and past participle), and JSON data. */
export interface DomainEvent<Type extends string = string, Data extends object = object> {
  readonly type: Type;
  readonly data: Data;
}

/** The actor behind an event. `personBehind` is the person for whom a connection or an agent acts. */
export interface Actor {
  readonly kind: ActorKind;
  readonly id: string;
  readonly name: string;
  readonly personBehind?: { readonly id: string; readonly name: string };
  /** Ids of other members who are treated as having acted too (`Caller.makers`). Default: none. */
  readonly makers?: readonly string[];
}

export interface EventMetadata {
  readonly workspaceId: string;
  readonly actor: Actor;
  /** Id of the first command in the chain. Shared by all events that follow from that command. */
  readonly correlationId: string;
  /** Id of the event that led to this command, or null for a caller's request. */
  readonly causationId: string | null;
  /** The person who approved the call. Omitted if it needed no approval. */
  readonly approvedBy?: Actor;
  /** The caller's reason. Omitted if none was given. */
  readonly reason?: string;
  /**
   * Set if the event deleted a record and other people get a notice about it. `name` is the record's name, or empty if
   * it has none or the name is personal.
   */
  readonly taken?: { readonly name: string };
  /** Id of the command that recorded the event. The events of one command are never recorded twice. */
  readonly commandId: string;
  /** The operation, e.g. `automations/createFunction`, or the name of the saga or engine part that acted. */
  readonly operation: string;
  /** Time of the decision in ISO 8601 UTC with milliseconds. */
  readonly at: string;
  /** Set if a version of the service that does not know the event's type must not continue past the event. */
  readonly mustUnderstand?: true;
}

/** An event to be recorded. Its `id` is a UUID that is never recorded twice in a stream. */
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
  /** Number of the event in its stream, from 0 without gaps. */
  readonly revision: number;
  /** Number of the event in the whole log, increasing, with gaps. */
  readonly position: number;
  readonly metadata: EventMetadata;
}

/** Maps a union of domain events to the union of the recorded events. */
export type Recorded<E extends DomainEvent> = E extends DomainEvent<infer T, infer D> ? RecordedEvent<T, D> : never;
