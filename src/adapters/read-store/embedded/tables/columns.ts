import type { Fields } from '../fields.js';
import type { SqlCondition } from '../queries/where.js';
import { marks } from './part-indexes.js';

export interface SortColumns {
  readonly fields: Fields;
  columnOf(field: string): string;
  missing(field: string): SqlCondition;
  there(field: string): SqlCondition;
  missingIsLast(field: string): boolean;
}

const condition = (sql: string): SqlCondition => ({ sql, values: [] });

export const columnsIn = (fields: Fields): SortColumns => ({
  fields,
  columnOf: (field) => fields(field).value,
  missing: (field) => condition(`${fields(field).value} IS NULL`),
  there: (field) => condition(`${fields(field).value} IS NOT NULL`),
  missingIsLast: () => false,
});

export function columnsAlong(indexed: string | undefined, fields: Fields): SortColumns {
  const plain = columnsIn(fields);
  const isAlong = (field: string) => field === indexed;
  return {
    fields,
    columnOf: (field) => (isAlong(field) ? 'at' : field === 'id' ? 'found' : plain.columnOf(field)),
    missing: (field) => (isAlong(field) ? condition(`at = ${marks.missing}`) : plain.missing(field)),
    there: (field) => (isAlong(field) ? condition(`at < ${marks.missing}`) : plain.there(field)),
    missingIsLast: isAlong,
  };
}
