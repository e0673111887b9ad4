import { uniqueName } from '../../../engine/commands/reservation.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { canonicalJson } from '../../../kernel/json/canonical-json.js';
import type { Json } from '../../../kernel/json/json.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../bases.refusals.js';

/** Values by field id. A field without a value is omitted. */
export type RowValues = Readonly<Record<string, Json>>;

/** The table at that time, for subscribers of row events, which must not contain values. */
interface OfTable {
  readonly tableId: string;
  /** The base's project. `null` if the base belongs to the workspace itself. */
  readonly projectId: string | null;
  readonly table: string;
}

/** `changed`: the names of the fields whose values differ. */
interface OfFields extends OfTable {
  readonly changed: readonly string[];
}

export type RowEvent =
  | DomainEvent<
      'RowCreated',
      OfFields & { readonly baseId: string; readonly createdByUser: string | null; readonly values: RowValues | null }
    >
  /** `values` holds all values after the change. */
  | DomainEvent<'RowUpdated', OfFields & { readonly values: RowValues | null }>
  | DomainEvent<'RowDeleted', OfFields>
  /** A deleted row was restored with these values. */
  | DomainEvent<'RowRestored', OfFields & { readonly values: RowValues | null }>
  /** The row's key is destroyed. This is its last event. */
  | DomainEvent<'RowErased', Pick<OfTable, 'tableId'>>;

/** Values are sealed in the log but decrypted in the read model, because they could not be searched otherwise. */
export interface Row extends Document {
  /** `null` for a deleted row. The document of a deleted row is retained so that its values can still be erased. */
  readonly tableId: string | null;
  readonly deletedFrom: string | null;
  /** The app user who created it, or `null` for anyone else. */
  readonly createdBy: string | null;
  readonly values: RowValues;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const rows = plainRecord<Row, RowEvent>()({
  category: 'row',
  auditedFor: 'site.read',
  shownBy: 'bases/getRow',
  personal: { values: null },
  of: { table: 'tableId' },
  undoing: {
    restores: 'bases/undoRow',
    ends: 'bases/deleteRow',
    gone: 'The row was erased, which is final: nothing brings its values back.',
  },
  missing: () => refuse('row-not-found'),
  collection: {
    name: 'rows',
    version: 1,
    opens: true,
    indexes: [{ fields: ['workspaceId', 'tableId', 'createdAt'] }, { fields: ['deletedFrom'] }],
  },
  updatedAt: true,
  begins: {
    RowCreated: ({ data: { tableId, createdByUser, values } }) => ({
      tableId,
      deletedFrom: null,
      createdBy: createdByUser,
      values: values ?? {},
    }),
  },
  ends: ['RowErased'],
  also: {
    RowUpdated: (_, { data: { values } }) => ({ values: values ?? {} }),
    RowRestored: (_, { data: { tableId, values } }) => ({ tableId, deletedFrom: null, values: values ?? {} }),
    RowDeleted: ({ tableId, deletedFrom }) => ({ tableId: null, deletedFrom: tableId ?? deletedFrom, values: {} }),
  },
});

/** The reservation for a value in a unique field. One per field, because a row has several such values. */
export const uniqueValue = (tableId: string, fieldId: string) =>
  uniqueName('rowValue', rows, (row: Row) => valueName(row, tableId, fieldId), { personal: true });

/**
 * The reservation for the values that an upsert matched, as long as the row has them.
 * @param beside other rows with the same values
 */
export const matchedValues = (tableId: string, fieldIds: readonly string[], beside: readonly string[] = []) =>
  uniqueName('rowMatch', rows, (row: Row) => matchName(row, tableId, fieldIds, beside), { personal: true });

type Valued = Pick<Row, 'tableId' | 'values'>;

/** Returns undefined if the row is not in the table, or if the value is missing: any number of rows may lack it. */
export function valueName({ tableId, values }: Valued, of: string, fieldId: string): string | undefined {
  const value = ownValue(values, fieldId);
  return tableId !== of || isMissingValue(value) ? undefined : canonicalJson([of, fieldId, value]);
}

/** Missing values are equal. Returns undefined if the row is not in the table. */
export function matchName(
  { tableId, values }: Valued,
  of: string,
  fieldIds: readonly string[],
  beside: readonly string[] = [],
): string | undefined {
  if (tableId !== of) return undefined;
  const entries = fieldIds.toSorted().map((id) => {
    const value = ownValue(values, id);
    return [id, isMissingValue(value) ? null : value];
  });
  return canonicalJson(beside.length === 0 ? [of, entries] : [of, entries, beside]);
}

const ownValue = (values: RowValues, fieldId: string): Json | undefined =>
  Object.hasOwn(values, fieldId) ? values[fieldId] : undefined;

/** The same definition as in the filter isEmpty. */
export const isMissingValue = (value: RowValues[string] | undefined): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
