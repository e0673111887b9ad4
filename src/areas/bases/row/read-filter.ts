import type { JsonObject } from '../../../kernel/json.js';
import type { Filter } from '../../../kernel/row-filter.js';
import type { Sort } from '../../../kernel/row-order.js';
import type { Grouping } from '../../../kernel/row-report.js';
import type { Table } from '../table/table.record.js';
import { comparableOf } from './comparable-fields.js';

export function readFilter({ fields }: Table, filter: JsonObject): Filter {
  return {
    all: fields
      .filter(({ name }) => Object.hasOwn(filter, name))
      .map(({ id, name, type }) => ({
        field: `values.${id}`,
        kind: comparableOf(type)?.kind ?? 'json',
        operator: 'eq',
        value: filter[name] ?? null,
      })),
  };
}
export const readSort = ({ fields }: Table, sort: readonly JsonObject[]): Sort =>
  sort.map(({ field, dir }) => [
    `values.${fields.find(({ name }) => name === field)?.id}`,
    dir === 'desc' ? 'desc' : 'asc',
  ]);
export const readReport = (_: Table, __: JsonObject): Grouping & { filter?: Filter } => ({
  by: [],
  measures: [{ as: 'count', op: 'count' }],
});
