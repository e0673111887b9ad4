import type { Document } from './projection.js';

export interface Setter {
  readonly operation: string;
  /** Member of the response that contains the fields. Default: the response itself. */
  readonly of?: string;
  /**
   * Fields whose value is an object of which the operation changes only the sent members. A member sent as null is
   * removed.
   */
  readonly merges?: readonly string[];
  /** Fields that the operation accepts but does not set to the sent value. A change of them is not undone. */
  readonly leaves?: readonly string[];
  /** Fields that the operation derives from the sent ones. An undo restores their former values too. */
  readonly follows?: readonly string[];
  readonly unseen?: readonly string[];
  readonly named?: Readonly<Record<string, string>>;
  /**
   * For fields that the operation cannot set to every former value. Returns why a value cannot be set and what to do
   * instead, or undefined if it can be set. Must be pure.
   */
  readonly lost?: Readonly<Record<string, (former: unknown) => string | undefined>>;
  /**
   * For each field, the path of a second field that the operation sets to the same value, if the record has that second
   * field.
   */
  readonly also?: Readonly<Record<string, string>>;
  /**
   * For each field, the path of another field that the operation clears. An undo is refused if that other field has
   * been set since.
   */
  readonly clears?: Readonly<Record<string, string>>;
  /** Event types that only this setter undoes. If omitted, the setter is used for types that no other setter names. */
  readonly for?: readonly string[];
  readonly while?: Readonly<Record<string, boolean>>;
}

export interface RepeatedQuestion {
  readonly field: string;
  readonly operation: string;
  readonly as?: string;
}

/** How a deleted record is restored: an event gives it its former fields, under the same id. */
export interface Return<Doc extends Document> {
  /**
   * Type of that event, such as `FunctionRestored`. The event's data consists of the fields of the record and
   * `restores`, the id of the event that deleted the record.
   */
  readonly type: string;
  /** Values for fields that the data of an older event lacks, because they were introduced later. */
  readonly later?: Partial<Doc>;
  /** Changes the restored record. `at` is the time of the restoration. Must be pure. */
  as?(record: Doc, at: string): Doc;
  /**
   * Fields that `as` removed. After the restoration, the service calls each field's operation with its former value, on
   * behalf of the person who undoes the deletion. Usually this creates approval cards.
   */
  readonly asks?: readonly RepeatedQuestion[];
}

/**
 * How changes of a kind of record are undone: the service calls the kind's own operations with the former values.
 * Rights, approval cards, unique names, limits and consequences are therefore the same as for any other call.
 */
export interface Undoing<Doc extends Document> {
  /** Operations that can set fields to their former values. The first that accepts all changed fields is used. */
  readonly sets?: readonly (string | Setter)[];
  /**
   * An operation that gives a record, even a deleted one, the fields that it had just before an event. Its parameter
   * `before` is the log position of that event. Changes are then undone by this operation alone.
   */
  readonly restores?: string;
  /** The operation that creates such a record. Only callers who may call it can restore one. */
  readonly makes?: string;
  /**
   * The operation that deletes such a record. Undoing a creation calls it. Omitted if the operation could delete more
   * than was created.
   */
  readonly ends?: string;
  readonly returns?: Return<Doc>;
  /** What to do instead, for changes that no operation in `sets` undoes. */
  readonly otherwise?: string;
  /** Why a deleted record cannot be restored, and what to do instead. Required without `returns`. */
  readonly gone?: string;
}

/** A string states why no change of such records can be undone, and what to do instead. */
export type UndoingOf<Doc extends Document> = Undoing<Doc> | string;
