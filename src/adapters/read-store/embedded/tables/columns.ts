import { fieldExpression } from '../fields.js';
import type { SqlCondition } from '../queries/where.js';
import { marks } from './part-indexes.js';

export interface SortColumns {
  columnOf(field: string): string;
  missing(field: string): SqlCondition;
  there(field: string): SqlCondition;
  missingIsLast(field: string): boolean;
}

const condition = (sql: string): SqlCondition => ({ sql, values: [] });

export const plainColumns: SortColumns = {
  columnOf: (field) => fieldExpression(field).value,
  missing: (field) => condition(`${fieldExpression(field).value} IS NULL`),
  there: (field) => condition(`${fieldExpression(field).value} IS NOT NULL`),
  missingIsLast: () => false,
};

export function columnsAlong(indexed: string | undefined): SortColumns {
  const isAlong = (field: string) => field === indexed;
  return {
    columnOf: (field) => (isAlong(field) ? 'at' : field === 'id' ? 'found' : plainColumns.columnOf(field)),
    missing: (field) => (isAlong(field) ? condition(`at = ${marks.missing}`) : plainColumns.missing(field)),
    there: (field) => (isAlong(field) ? condition(`at < ${marks.missing}`) : plainColumns.there(field)),
    missingIsLast: isAlong,
  };
}
