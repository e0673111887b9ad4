import type { Document } from './projection.js';

/** An operation that sets fields of a record. */
export interface Setter {
  readonly operation: string;
  /** The member of the shown record that contains the fields. Left out: the record itself. */
  readonly of?: string;
  /** Fields whose members are sent one by one; null removes a member. */
  readonly merges?: readonly string[];
  /** Fields that it takes but does not set to what is sent: a change of them is not undone. */
  readonly leaves?: readonly string[];
  /** Derived fields: they are set back along with the others and are not sent. */
  readonly follows?: readonly string[];
  /** Fields that it sets and that answers do not show. */
  readonly unseen?: readonly string[];
  /** By parameter, the answer's field, where their names differ. */
  readonly named?: Readonly<Record<string, string>>;
  /** By field, for former values that it can no longer set: why, and what to do instead, as a sentence. Pure. */
  readonly lost?: Readonly<Record<string, (former: unknown) => string | undefined>>;
  /** By field, a second path that it sets to the same value, if the record has it. */
  readonly also?: Readonly<Record<string, string>>;
  /** Event types that only this setter undoes. Left out: all other types. */
  readonly for?: readonly string[];
  /** Workspace settings that must have these values for it to be used. */
  readonly while?: Readonly<Record<string, boolean>>;
}

/** A field that a restored record lacks, and what sets it. */
export interface RepeatedQuestion {
  readonly field: string;
  readonly operation: string;
  /** The operation's parameter. Left out: the field's name. */
  readonly as?: string;
}

/** How a deleted record is restored: by an event, with its former state and the same id. */
export interface Return<Doc extends Document> {
  /** `FunctionRestored`. Its data are the fields of the record, and `restores`: the id of the event that deleted it. */
  readonly type: string;
  /** Values for fields that were added after the record's events. */
  readonly later?: Partial<Doc>;
  /** Changes the restored state. `at`: the time. Pure. */
  as?(record: Doc, at: string): Doc;
  /**
   * Fields that `as` removed, to be requested with operations, on behalf of the person who undoes; usually as cards.
   */
  readonly asks?: readonly RepeatedQuestion[];
}

/**
 * How changes of a kind of record are undone: by its own operations with the former values, so that rights, cards,
 * names, limits and consequences are those of any other call.
 */
export interface Undoing<Doc extends Document> {
  /** Operations that set fields back. The first that takes all changed fields is used. */
  readonly sets?: readonly (string | Setter)[];
  /**
   * An operation that gives a record, even a deleted one, the state before the event at the position `before`. Replaces
   * `sets` and `returns`.
   */
  readonly restores?: string;
  /** The operation that makes such a record; restoring one needs the right to it. */
  readonly makes?: string;
  /** The operation that deletes one, and so undoes its creation. Left out: it would delete more than was created. */
  readonly ends?: string;
  readonly returns?: Return<Doc>;
  /** What to do about changes that none of `sets` covers, as a sentence. */
  readonly otherwise?: string;
  /** Why a deleted one cannot be restored, and what to do, as a sentence. Required without `returns`. */
  readonly gone?: string;
}

/** A text: why nothing of such records can be undone, and what to do, as a sentence. */
export type UndoingOf<Doc extends Document> = Undoing<Doc> | string;
