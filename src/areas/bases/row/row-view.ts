import { showsAs } from '../../../engine/records/record-views.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import type { Table } from '../table/table.record.js';
import { type Row, rows } from './row.record.js';
import { type RowAccess, shownOf } from './rules/row-access.js';

/**
 * Values are keyed by the field's current name. A field without a value is null. Fields that the caller may not read
 * are omitted.
 */
export interface RowAnswer extends JsonObject {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly createdBy: string | null;
}

/** The audit shows values keyed by field id, because the field names are stored with the table and can change. */
showsAs(rows, ({ id, tableId, createdAt, updatedAt, createdBy, values }) =>
  tableId === null ? null : { id, tableId, createdAt, updatedAt, createdBy, values },
);

export function rowShown({ fields }: Pick<Table, 'fields'>, access: RowAccess, row: Row): RowAnswer {
  const { hidden, row: visible } = shownOf(access, row);
  const values = fields
    .filter(({ id }) => !hidden.includes(id))
    .map(({ id, name }): [string, Json] => [name, visible.values[id] ?? null]);
  const { id, createdAt, updatedAt, createdBy } = row;
  return { id, createdAt, updatedAt, createdBy, ...Object.fromEntries(values) };
}

export function hiddenIn(
  { fields }: Pick<Table, 'fields'>,
  access: RowAccess,
  shown: readonly Row[],
): readonly string[] {
  const always = [...access.fields].filter(([, { read }]) => read === 'nothing').map(([id]) => id);
  const hidden = new Set([...always, ...shown.flatMap((row) => shownOf(access, row).hidden)]);
  return fields.filter(({ id }) => hidden.has(id)).map(({ name }) => name);
}
