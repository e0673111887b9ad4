import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../../kernel/json/json.js';
import { refuse } from '../bases.refusals.js';
import type { Table } from '../table/table.record.js';
import { mustFit } from './reading/field-values.js';
import { isMissing, type Row, type RowEvent, type RowValues, rows } from './row.record.js';

/** By field id, in the form in which they are stored; null: the field has no value from now on. */
export type NewValues = Readonly<Record<string, Json>>;

type RowTable = Pick<Table, 'id' | 'baseId' | 'projectId' | 'name' | 'fields'>;

/** `path`: where the values stand in the input. @throws Refusal row-value-required */
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
 * Records what differs, and all values with it. `seenUpdatedAt`: the row that the caller saw.
 * @throws Refusal row-changed-since, row-value-required
 */
export function updateRow(
  table: RowTable,
  row: Row,
  sent: NewValues,
  seenUpdatedAt?: string,
  path = 'values',
): readonly RowEvent[] {
  if (seenUpdatedAt !== undefined && Date.parse(seenUpdatedAt) !== Date.parse(row.updatedAt)) {
    refuse('row-changed-since', undefined, { updatedAt: row.updatedAt });
  }
  const values = valuesAfter(table, row.values, sent, path);
  const changed = changedNames(table, row.values, values);
  if (changed.length === 0) return [];
  return [{ type: 'RowUpdated', data: { ...ofTable(table), changed, values } }];
}

/**
 * Gives a row these values in the place of all that it has. A deleted row is there again.
 * @throws Refusal row-erased, row-not-found, row-value-required, row-too-large
 */
export function restoreRow(table: RowTable, row: Row | undefined, then: RowValues): readonly RowEvent[] {
  if (row === undefined) return refuse('row-erased');
  if (row.tableId === null && row.deletedFrom === table.id) {
    const values = valuesAfter(table, then, {}, 'values');
    return [{ type: 'RowRestored', data: { ...ofTable(table), changed: changedNames(table, {}, values), values } }];
  }
  const { values: now } = rowOf(table, row);
  const differing = table.fields.filter(({ id }) => !isDeepStrictEqual(now[id], then[id]));
  return updateRow(table, row, Object.fromEntries(differing.map(({ id }): [string, Json] => [id, then[id] ?? null])));
}

export function deleteRow(table: RowTable, row: Row): readonly RowEvent[] {
  return [{ type: 'RowDeleted', data: { ...ofTable(table), changed: changedNames(table, row.values, {}) } }];
}

/** A row that is still there is deleted by it. Nothing for one that was erased before. */
export function eraseRow(table: RowTable, row: Row | undefined): readonly RowEvent[] {
  if (row === undefined) return [];
  const erased: RowEvent = { type: 'RowErased', data: { tableId: table.id } };
  return row.tableId === null ? [erased] : [...deleteRow(table, row), erased];
}

/** The row, if it is one of this table. @throws Refusal row-not-found */
export function rowOf(table: Pick<Table, 'id'>, row: Row | undefined): Row {
  if (row === undefined || row.tableId !== table.id) return rows.missing();
  // The key was destroyed a moment ago, and what tells so is on its way.
  return (row.values as RowValues | null) === null ? { ...row, values: {} } : row;
}

/**
 * Values of fields that the table has, those that were sent in the place of others.
 * @throws Refusal row-value-required, row-too-large
 */
function valuesAfter({ fields }: RowTable, before: RowValues, sent: NewValues, path: string): RowValues {
  const entries = fields.flatMap(({ id, name, required }): [string, Json][] => {
    const value = Object.hasOwn(sent, id) ? sent[id] : before[id];
    // A row that was there before its field was required keeps its gap until the field itself is written.
    const isWritten = Object.keys(before).length === 0 || Object.hasOwn(sent, id);
    if (required && isWritten && isMissing(value)) {
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
