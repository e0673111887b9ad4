import type { PreparedCollection } from '../../../../ports/read-store.port.js';
import { type Fields, inDocument, withColumns } from '../fields.js';
import type { Statements } from '../statements.js';
import { quoted } from './table-indexes.js';

/**
 * Fields that have columns of their own. Without these, SQLite would parse every document once for each index it
 * creates.
 */
export function indexedFields({ indexes, later = [] }: PreparedCollection): readonly string[] {
  const fields = new Set([...indexes, ...later].flatMap((index) => index.fields));
  return [...fields].filter((field) => field !== 'id');
}

/** SQL definitions. SQLite fills these columns at each write. */
export const columnDefinitions = (fields: readonly string[]): string =>
  fields.map((field) => `${columnOf(field)} ANY GENERATED ALWAYS AS (${inDocument(field).value}) STORED, `).join('');

export const inColumns = (columns: readonly string[]): Fields =>
  withColumns(new Map(columns.map((field) => [field, columnOf(field)])));

/**
 * Returns the SQL expressions of the fields of each table that has generated columns. Tables of earlier versions have
 * none.
 */
export function storedFields(statements: Statements): Map<string, Fields> {
  const stored = `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema AS t
    JOIN pragma_table_xinfo(t.name) AS c WHERE t.type = 'table' AND c.hidden = 3`;
  const columns = Map.groupBy(statements.prepared(stored).all(), ({ table }) => String(table));
  return new Map(
    [...columns].map(([table, rows]) => [
      table,
      inColumns(rows.map(({ column }) => String(column).slice(mark.length))),
    ]),
  );
}

/** Prefix that distinguishes these generated columns from a table's other columns. */
const mark = '$.';
const columnOf = (field: string) => quoted(`${mark}${field}`);
