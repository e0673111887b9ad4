import type { Json } from '../../../../kernel/json/json.js';
import { type Filter, isOf, type RowComparison } from '../../../../kernel/rows/row-filter.js';
import { afterAllWith } from '../../../../kernel/text/code-points.js';
import { boundValue } from '../fields.js';
import { type Listed, marks } from '../tables/part-indexes.js';
import type { SqlCondition } from './where.js';

/** A range of index entries that leads to exactly the documents of one comparison. */
export interface Lookup {
  readonly list: number;
  readonly field: string;
  readonly condition: SqlCondition;
  readonly repeats: boolean;
}

export function lookupsOf(filter: Filter | undefined, indexes: readonly Listed[]): readonly Lookup[] {
  if (filter === undefined || indexes.length === 0) return [];
  if ('all' in filter) return filter.all.flatMap((part) => lookupsOf(part, indexes));
  if (!('field' in filter)) return [];
  return indexes.filter(({ field }) => field === filter.field).flatMap((listed) => lookupOf(filter, listed) ?? []);
}

function lookupOf(comparison: RowComparison, { values, texts, field }: Listed): Lookup | undefined {
  const { kind, operator, value = null } = comparison;
  const found = (list: number, condition: SqlCondition | undefined, repeats = false) =>
    condition && { list, field, condition, repeats };
  switch (kind) {
    case 'text':
      return found(values, operator === 'startsWith' ? beginning(String(value)) : ordered(operator, value));
    case 'number':
      return found(values, ordered(operator, value));
    case 'boolean':
      return found(values, truth(operator, value));
    case 'list':
      if (operator === 'in') return found(texts, ordered('in', value), true);
      return found(texts, isOf('text', value) && operator !== 'ne' ? ordered('eq', value) : undefined);
    case 'json':
      return undefined;
  }
}

const condition = (sql: string, ...values: readonly Json[]): SqlCondition => ({
  sql,
  values: values.map((value) => JSON.stringify(value)),
});

/** In an index, numbers precede texts, and texts precede all other values, so an open range can need a second bound. */
function ordered(operator: RowComparison['operator'], value: Json): SqlCondition | undefined {
  const isText = typeof value === 'string';
  switch (operator) {
    case 'eq':
      return condition(`at = ${boundValue}`, value);
    case 'in':
      return condition('at IN (SELECT value FROM json_each(?))', value);
    case 'gt':
    case 'gte':
      return condition(`at ${operator === 'gt' ? '>' : '>='} ${boundValue} AND at < ${isText ? "x''" : "''"}`, value);
    case 'lt':
    case 'lte':
      return condition(`at ${operator === 'lt' ? '<' : '<='} ${boundValue}${isText ? " AND at >= ''" : ''}`, value);
    default:
      return undefined;
  }
}

function beginning(start: string): SqlCondition {
  const end = afterAllWith(start);
  return end === undefined
    ? condition(`at >= ${boundValue} AND at < x''`, start)
    : condition(`at >= ${boundValue} AND at < ${boundValue}`, start, end);
}

function truth(operator: RowComparison['operator'], value: Json): SqlCondition | undefined {
  if (operator !== 'eq' && operator !== 'in') return undefined;
  const choices = Array.isArray(value) ? value : [value];
  return condition(`at IN (${[...new Set(choices)].map((one) => (one === true ? marks.true : marks.false)).join()})`);
}
