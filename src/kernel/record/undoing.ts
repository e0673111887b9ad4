import type { Document } from './projection.js';

/** An operation that sets fields of a record. */
export interface Setter {
  readonly operation: string;
  /** The member of the record, as answers show it, that holds the fields. Left out: the record itself. */
  readonly of?: string;
  /** Fields whose members are sent one by one, and null takes one away. */
  readonly merges?: readonly string[];
  /** Fields that it takes, but does not set to what is sent: a change of them is not undone. */
  readonly leaves?: readonly string[];
  /** Fields that follow from what is sent: they are set back with it, and not sent. */
  readonly follows?: readonly string[];
  /** Fields that it sets and that answers of the record do not show. */
  readonly unseen?: readonly string[];
  /** Parameters that are not named like the field that answers show: the field, by the parameter. */
  readonly named?: Readonly<Record<string, string>>;
  /** Former values that it no longer sets as they were, by the field: why, and what to do instead. A sentence. Pure. */
  readonly lost?: Readonly<Record<string, (former: unknown) => string | undefined>>;
  /** A second place that it sets to the same value, where the record has it: its path, by the field. */
  readonly also?: Readonly<Record<string, string>>;
  /** Types of events. It is asked for these alone, and nothing else is asked for them. Left out: for all others. */
  readonly for?: readonly string[];
  /** Settings of the workspace while which it is asked. */
  readonly while?: Readonly<Record<string, boolean>>;
}

/** A field that a record comes back without, and what sets it. */
export interface AskedAgain {
  readonly field: string;
  readonly operation: string;
  /** The operation's parameter. Left out: it is called like the field. */
  readonly as?: string;
}

/** How one that was ended comes back: by an event of its own, with its former state and the same id. */
export interface Return<Doc extends Document> {
  /** `FunctionRestored`. Its data are the fields of the record, and `restores`: the id of the event that ended it. */
  readonly type: string;
  /** Values of fields that events recorded before they were added lack. */
  readonly later?: Partial<Doc>;
  /** What it comes back as, where not as it was. `at`: when. Pure. */
  as?(record: Doc, at: string): Doc;
  /** What `as` leaves out and operations are then asked for, as whoever undoes it: most often cards come of it. */
  readonly asks?: readonly AskedAgain[];
}

/**
 * How changes of a kind of record are undone: by its own operations, sent the former values, so that rights, cards, names,
 * limits and whatever follows from such a change are those of any other call.
 */
export interface Undoing<Doc extends Document> {
  /** What sets fields back. The first that takes all that a change set is asked. */
  readonly sets?: readonly (string | Setter)[];
  /**
   * Gives a record what it was before the event at the position `before`, also one that was deleted. Where it is said, it is
   * asked in the place of `sets` and `returns`.
   */
  readonly restores?: string;
  /** Makes such a record; the right to it is needed to bring one back. */
  readonly makes?: string;
  /** Ends one, and so undoes its making. Left out: that would end more than was made. */
  readonly ends?: string;
  readonly returns?: Return<Doc>;
  /** What to do about changes that none of `sets` sets back: a sentence. */
  readonly otherwise?: string;
  /** Why one that ended does not come back, and what to do: a sentence. Given where `returns` is not. */
  readonly gone?: string;
}

/** A text: why nothing of such records can be undone, and what to do. A sentence. */
export type UndoingOf<Doc extends Document> = Undoing<Doc> | string;
