import type { Json } from '../../../../kernel/json/json.js';
import { type Comparison, type Filter, isOf } from '../../../../kernel/rows/row-filter.js';
import { afterAllWith } from '../../../../kernel/text/code-points.js';
import { bound } from '../fields.js';
import { type Listed, marks } from '../tables/part-indexes.js';
import type { Condition } from './where.js';

/** A condition on an index's sorted values that finds exactly the documents of a comparison. */
export interface Lookup {
  readonly list: number;
  readonly field: string;
  readonly condition: Condition;
  /** Whether a document may be found more than once. */
  readonly repeats: boolean;
}

/** Returns the lookups for those comparisons of a conjunction that an index can answer. */
export function lookupsOf(filter: Filter | undefined, indexes: readonly Listed[]): readonly Lookup[] {
  if (filter === undefined || indexes.length === 0) return [];
  if ('all' in filter) return filter.all.flatMap((part) => lookupsOf(part, indexes));
  if (!('field' in filter)) return [];
  return indexes.filter(({ field }) => field === filter.field).flatMap((listed) => lookupOf(filter, listed) ?? []);
}

function lookupOf(comparison: Comparison, { values, texts, field }: Listed): Lookup | undefined {
  const { kind, operator, value = null } = comparison;
  const found = (list: number, condition: Condition | undefined, repeats = false) =>
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

const condition = (sql: string, ...values: readonly Json[]): Condition => ({
  sql,
  values: values.map((value) => JSON.stringify(value)),
});

/** Returns the condition of a comparison. In the index, numbers precede texts, and texts precede all other values. */
function ordered(operator: Comparison['operator'], value: Json): Condition | undefined {
  const isText = typeof value === 'string';
  switch (operator) {
    case 'eq':
      return condition(`at = ${bound}`, value);
    case 'in':
      return condition('at IN (SELECT value FROM json_each(?))', value);
    case 'gt':
    case 'gte':
      return condition(`at ${operator === 'gt' ? '>' : '>='} ${bound} AND at < ${isText ? "x''" : "''"}`, value);
    case 'lt':
    case 'lte':
      return condition(`at ${operator === 'lt' ? '<' : '<='} ${bound}${isText ? " AND at >= ''" : ''}`, value);
    default:
      return undefined;
  }
}

function beginning(start: string): Condition {
  const end = afterAllWith(start);
  return end === undefined
    ? condition(`at >= ${bound} AND at < x''`, start)
    : condition(`at >= ${bound} AND at < ${bound}`, start, end);
}

function truth(operator: Comparison['operator'], value: Json): Condition | undefined {
  if (operator !== 'eq' && operator !== 'in') return undefined;
  const choices = Array.isArray(value) ? value : [value];
  return condition(`at IN (${[...new Set(choices)].map((one) => (one === true ? marks.true : marks.false)).join()})`);
}
