import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../../kernel/json/json.js';
import { refuse } from '../bases.refusals.js';
import type { Table } from '../table/table.record.js';
import { mustFit } from './reading/field-values.js';
import { isMissingValue, type Row, type RowEvent, type RowValues, rows } from './row.record.js';

/** Keyed by field id. `null` removes the field's value. */
export type NewValues = Readonly<Record<string, Json>>;

type RowTable = Pick<Table, 'id' | 'baseId' | 'projectId' | 'name' | 'fields'>;

/**
 * @param path path of the values in the input
 * @throws Refusal row-value-required, row-too-large
 */
export function createRow(
  table: RowTable,
  sent: NewValues,
  createdByUser: string | null,
  path = 'values',
): readonly RowEvent[] {
  const values = valuesAfter(table, {}, sent, path);
  const changed = changedNames(table, {}, values);
  return [{ type: 'RowCreated', data: { ...ofTable(table), baseId: table.baseId, createdByUser, changed, values } }];
}

/**
 * Records nothing if all values remain the same. The event contains all values of the row.
 * @param seenUpdatedAt `updatedAt` of the row that the caller saw. The change is refused if the row has changed since.
 * @throws Refusal row-changed-since, row-value-required, row-too-large
 */
export function updateRow(
  table: RowTable,
  row: Row,
  sent: NewValues,
  seenUpdatedAt?: string,
  path = 'values',
): readonly RowEvent[] {
  mustBeAsSeen(row, seenUpdatedAt);
  const values = valuesAfter(table, row.values, sent, path);
  const changed = changedNames(table, row.values, values);
  if (changed.length === 0) return [];
  return [{ type: 'RowUpdated', data: { ...ofTable(table), changed, values } }];
}

/**
 * If the row was not deleted, replaces all values of the row.
 * @param seenUpdatedAt as in `updateRow`
 * @throws Refusal row-erased, row-changed-since, row-not-found, row-value-required, row-too-large
 */
export function restoreRow(
  table: RowTable,
  row: Row | undefined,
  then: RowValues,
  seenUpdatedAt?: string,
): readonly RowEvent[] {
  if (row === undefined) return refuse('row-erased');
  mustBeAsSeen(row, seenUpdatedAt);
  if (row.tableId === null && row.deletedFrom === table.id) {
    const values = valuesAfter(table, then, {}, 'values');
    return [{ type: 'RowRestored', data: { ...ofTable(table), changed: changedNames(table, {}, values), values } }];
  }
  const { values: now } = rowOf(table, row);
  const differing = table.fields.filter(({ id }) => !isDeepStrictEqual(now[id], then[id]));
  return updateRow(table, row, Object.fromEntries(differing.map(({ id }): [string, Json] => [id, then[id] ?? null])));
}

/** @throws Refusal row-changed-since */
export function deleteRow(table: RowTable, row: Row, seenUpdatedAt?: string): readonly RowEvent[] {
  mustBeAsSeen(row, seenUpdatedAt);
  return [{ type: 'RowDeleted', data: { ...ofTable(table), changed: changedNames(table, row.values, {}) } }];
}

/** A row that is not deleted yet is deleted first. Idempotent. */
export function eraseRow(table: RowTable, row: Row | undefined): readonly RowEvent[] {
  if (row === undefined) return [];
  const erased: RowEvent = { type: 'RowErased', data: { tableId: table.id } };
  return row.tableId === null ? [erased] : [...deleteRow(table, row), erased];
}

/** @throws Refusal row-not-found */
export function rowOf(table: Pick<Table, 'id'>, row: Row | undefined): Row {
  if (row === undefined || row.tableId !== table.id) return rows.missing();
  // If the row's key has been destroyed but the event that records this has not been read yet, the values are null.
  // They are treated as empty.
  return (row.values as RowValues | null) === null ? { ...row, values: {} } : row;
}

function mustBeAsSeen({ updatedAt }: Row, seen: string | undefined): void {
  const isAsSeen = seen === undefined || Date.parse(seen) === Date.parse(updatedAt);
  if (!isAsSeen) refuse('row-changed-since', undefined, { updatedAt });
}

function valuesAfter({ fields }: RowTable, before: RowValues, sent: NewValues, path: string): RowValues {
  const entries = fields.flatMap(({ id, name, required }): [string, Json][] => {
    const value = Object.hasOwn(sent, id) ? sent[id] : before[id];
    const isWritten = Object.keys(before).length === 0 || Object.hasOwn(sent, id);
    if (required && isWritten && isMissingValue(value)) {
      refuse('row-value-required', { field: name }, { at: `${path}.${name}` });
    }
    return value === undefined || value === null ? [] : [[id, value]];
  });
  const values = Object.fromEntries(entries);
  mustFit(values);
  return values;
}

const changedNames = ({ fields }: RowTable, before: RowValues, after: RowValues): readonly string[] =>
  fields.filter(({ id }) => !isDeepStrictEqual(before[id], after[id])).map(({ name }) => name);

const ofTable = ({ id, projectId, name }: RowTable) => ({ tableId: id, projectId, table: name });
