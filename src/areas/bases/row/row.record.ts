import { uniqueName } from '../../../engine/commands/reservation.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { canonicalJson } from '../../../kernel/json/canonical-json.js';
import type { Json } from '../../../kernel/json/json.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../bases.refusals.js';
import type { Table } from '../table/table.record.js';

/** Values keyed by field id. Fields without a value are omitted. */
export type RowValues = Readonly<Record<string, Json>>;

interface OfTable {
  readonly tableId: string;
  /** The project of the table's base. `null` if the base belongs to the workspace alone. */
  readonly projectId: string | null;
  readonly table: string;
}

interface OfFields extends OfTable {
  readonly changed: readonly string[];
}

export type RowEvent =
  | DomainEvent<
      'RowCreated',
      OfFields & { readonly baseId: string; readonly createdByUser: string | null; readonly values: RowValues | null }
    >
  | DomainEvent<'RowUpdated', OfFields & { readonly values: RowValues | null }>
  | DomainEvent<'RowDeleted', OfFields>
  | DomainEvent<'RowRestored', OfFields & { readonly values: RowValues | null }>
  /** The row's key has been destroyed, so its values cannot be decrypted any more. */
  | DomainEvent<'RowErased', Pick<OfTable, 'tableId'>>;

/** Values are encrypted in the log. The read model contains them decrypted, because they must be searchable. */
export interface Row extends Document {
  /** `null` if the row was deleted. A deleted row can still be restored or erased. */
  readonly tableId: string | null;
  readonly deletedFrom: string | null;
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
    gone: 'The row was permanently erased, and its values cannot be restored.',
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

/** Each unique field has its own reservations, so that a row can reserve a value in several fields. */
export const uniqueValue = (tableId: string, fieldId: string) =>
  uniqueName('rowValue', rows, (row: Row) => valueName(row, tableId, fieldId), { personal: true });

/**
 * Reserves the values that an upsert matches, so that two concurrent upserts do not both create a row. A reservation
 * ends when the row no longer has these values.
 * @param beside ids of other rows that have the same values and that the caller may not read. They are part of the
 * reservation's name, so that those rows do not conflict with the caller's row.
 */
export const matchedValues = (table: Fielded, fieldIds: readonly string[], beside: readonly string[] = []) =>
  uniqueName('rowMatch', rows, (row: Row) => matchName(row, table, fieldIds, beside), { personal: true });

type Valued = Pick<Row, 'tableId' | 'values'>;
type Fielded = Pick<Table, 'id' | 'fields'>;

/**
 * Returns undefined if the row is not in the table, or has no value in the field, because rows without a value do not
 * conflict.
 */
export function valueName({ tableId, values }: Valued, of: string, fieldId: string): string | undefined {
  const value = ownValue(values, fieldId);
  return tableId !== of || isMissingValue(value) ? undefined : canonicalJson([of, fieldId, value]);
}

/**
 * Unlike in `valueName`, a missing value is part of the name, as null. The choices of a multiSelect field are sorted,
 * because filters ignore their order. Returns undefined if the row is not in the table.
 */
export function matchName(
  { tableId, values }: Valued,
  { id: of, fields }: Fielded,
  fieldIds: readonly string[],
  beside: readonly string[] = [],
): string | undefined {
  if (tableId !== of) return undefined;
  const unordered = new Set(fields.filter(({ type }) => type === 'multiSelect').map(({ id }) => id));
  const entries = fieldIds.toSorted().map((id) => {
    const value = ownValue(values, id);
    if (isMissingValue(value)) return [id, null];
    return [id, Array.isArray(value) && unordered.has(id) ? value.toSorted() : value];
  });
  return canonicalJson(beside.length === 0 ? [of, entries] : [of, entries, beside]);
}

const ownValue = (values: RowValues, fieldId: string): Json | undefined =>
  Object.hasOwn(values, fieldId) ? values[fieldId] : undefined;

/** The filter `isEmpty` uses the same definition. */
export const isMissingValue = (value: RowValues[string] | undefined): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
