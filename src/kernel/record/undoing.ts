import type { Document } from './projection.js';

/** An operation that sets fields of a record. */
export interface Setter {
  readonly operation: string;
  /** Member of the shown record that contains the fields. Default: the record itself. */
  readonly of?: string;
  /** Fields whose members are sent one by one. Null removes a member. */
  readonly merges?: readonly string[];
  /** Fields that the operation accepts but does not set to the sent value. A change of them is not undone. */
  readonly leaves?: readonly string[];
  /** Derived fields. They are set back along with the others and are not sent. */
  readonly follows?: readonly string[];
  /** Fields that the operation sets but responses do not show. */
  readonly unseen?: readonly string[];
  /** The response's field for each parameter, where their names differ. */
  readonly named?: Readonly<Record<string, string>>;
  /**
   * For former values of a field that the operation can no longer set, a sentence that states why and what to do
   * instead. Pure.
   */
  readonly lost?: Readonly<Record<string, (former: unknown) => string | undefined>>;
  /** A second path, by field, that the operation sets to the same value if the record has it. */
  readonly also?: Readonly<Record<string, string>>;
  /**
   * Another field, by field, that is cleared by setting the first. Undoing a change of the first must not clear what
   * was set there since.
   */
  readonly clears?: Readonly<Record<string, string>>;
  /** Event types that only this setter undoes. If omitted, the setter is used for types that no other setter names. */
  readonly for?: readonly string[];
  /** Workspace settings that must have these values for the setter to be used. */
  readonly while?: Readonly<Record<string, boolean>>;
}

/** A field that a restored record lacks, and the operation that sets it. */
export interface RepeatedQuestion {
  readonly field: string;
  readonly operation: string;
  /** The operation's parameter. Default: the field's name. */
  readonly as?: string;
}

/** How a deleted record is restored: by an event, with its former state and the same id. */
export interface Return<Doc extends Document> {
  /**
   * Type of the event, e.g. `FunctionRestored`. Its data consists of the fields of the record and `restores`, the id of
   * the event that deleted it.
   */
  readonly type: string;
  /** Values for fields that were added after the record's events were recorded. */
  readonly later?: Partial<Doc>;
  /** Changes the restored state. `at` is the time. Pure. */
  as?(record: Doc, at: string): Doc;
  /**
   * Fields that `as` removed. They are requested with operations on behalf of the person who undoes the deletion,
   * usually as approval cards.
   */
  readonly asks?: readonly RepeatedQuestion[];
}

/**
 * How changes of a kind of record are undone: by its own operations with the former values, so that rights, approval
 * cards, names, limits and consequences are the same as for any other call.
 */
export interface Undoing<Doc extends Document> {
  /** Operations that set fields back. The first that accepts all changed fields is used. */
  readonly sets?: readonly (string | Setter)[];
  /**
   * An operation that gives a record, even a deleted one, its state before the event at the position `before`. Replaces
   * `sets` and `returns`.
   */
  readonly restores?: string;
  /** The operation that creates such a record. Restoring one requires the right to this operation. */
  readonly makes?: string;
  /**
   * The operation that deletes such a record, and so undoes its creation. Omitted if it would delete more than was
   * created.
   */
  readonly ends?: string;
  readonly returns?: Return<Doc>;
  /** A sentence about what to do about changes that no entry of `sets` covers. */
  readonly otherwise?: string;
  /** A sentence about why a deleted record cannot be restored and what to do. Required without `returns`. */
  readonly gone?: string;
}

/** A text states, in a sentence, why no change of such records can be undone and what to do. */
export type UndoingOf<Doc extends Document> = Undoing<Doc> | string;
