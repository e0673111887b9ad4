import { canonicalJson } from '../../../../kernel/json/canonical-json.js';
import type { Json } from '../../../../kernel/json/json.js';
import type { Where } from '../../../../kernel/record/projection.js';
import { checkComparison, type Filter, type RowComparison, type Search } from '../../../../kernel/rows/row-filter.js';
import { afterAllWith } from '../../../../kernel/text/code-points.js';
import { folded } from '../../../../kernel/text/folded.js';
import type { Narrowing } from '../../../../ports/read-store.port.js';
import { canonicalCopy, foldedCopy } from '../commits/copies.js';
import { boundValue, type FieldExpression, type Fields } from '../fields.js';
import { grouped, joined, matching, type SqlCondition } from './where.js';

export function narrowed(where: Where, { filter, search }: Narrowing, fields: Fields): SqlCondition {
  const conditions = [matching(where, fields)];
  // The brackets prevent an OR in the filter from bypassing `where`, which separates workspaces.
  if (filter !== undefined) conditions.push(inBrackets(filtering(filter, fields)));
  if (search !== undefined) conditions.push(inBrackets(searching(search)));
  return joined(conditions);
}

/**
 * A negation is moved down to the comparisons, where it becomes IS NOT TRUE. SQL's NOT of a comparison with a missing
 * value would be NULL.
 */
function filtering(filter: Filter, fields: Fields, isNegated = false): SqlCondition {
  if ('all' in filter) return groupOf(filter.all, fields, isNegated ? 'OR' : 'AND', isNegated);
  if ('any' in filter) return groupOf(filter.any, fields, isNegated ? 'AND' : 'OR', isNegated);
  if ('not' in filter) return filtering(filter.not, fields, !isNegated);
  checkComparison(filter);
  const { sql, values } = comparing(filter, fields);
  return isOpposite(filter) === isNegated ? { sql, values } : { sql: `(${sql}) IS NOT TRUE`, values };
}

const groupOf = (parts: readonly Filter[], fields: Fields, by: 'AND' | 'OR', isNegated: boolean) =>
  grouped(
    parts.map((part) => inBrackets(filtering(part, fields, isNegated))),
    by,
  );

const inBrackets = ({ sql, values }: SqlCondition): SqlCondition => ({ sql: `(${sql})`, values });

const isOpposite = ({ operator }: RowComparison) => ['ne', 'nin', 'isNotEmpty'].includes(operator);

function comparing({ field, kind, operator, value = null }: RowComparison, fields: Fields): SqlCondition {
  const at = fields(field);
  if (operator === 'isEmpty' || operator === 'isNotEmpty') return empty(at);
  switch (kind) {
    case 'text':
      return joined([textual(at, operator, value), { sql: `${at.type} = 'text'`, values: [] }]);
    case 'number':
      return joined([ordered(at, operator, value), { sql: `${at.type} IN ('integer','real')`, values: [] }]);
    case 'boolean':
      return truth(at, Array.isArray(value) ? value : [value]);
    case 'list':
      return joined([{ sql: `${at.type} = 'array'`, values: [] }, listed(at, operator, value)]);
    case 'json':
      return equalJson(field, value, fields);
  }
}

const empty = ({ value, type }: FieldExpression): SqlCondition => ({
  sql: `(${value} IS NULL OR ${value} = '' OR (${value} = '[]' AND ${type} = 'array'))`,
  values: [],
});

const signs = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

function ordered({ value: column }: FieldExpression, operator: RowComparison['operator'], value: Json): SqlCondition {
  if (operator === 'in' || operator === 'nin') return chosen(column, value);
  const sign = operator in signs ? signs[operator as keyof typeof signs] : '=';
  return { sql: `${column} ${sign} ${boundValue}`, values: [JSON.stringify(value)] };
}

/** The values are bound as one list, so lists of any length share a prepared statement. */
const chosen = (column: string, choices: Json): SqlCondition => ({
  sql: `${column} IN (SELECT value FROM json_each(?))`,
  values: [JSON.stringify(choices)],
});

function textual(at: FieldExpression, operator: RowComparison['operator'], value: Json): SqlCondition {
  if (operator === 'contains') return { sql: `instr(${at.value}, ${boundValue}) > 0`, values: [JSON.stringify(value)] };
  if (operator === 'eqIgnoringCase')
    return { sql: `lower(${at.value}) = lower(${boundValue})`, values: [JSON.stringify(value)] };
  if (operator !== 'startsWith') return ordered(at, operator, value);
  const end = afterAllWith(String(value));
  const from = ordered(at, 'gte', value);
  return end === undefined ? from : joined([from, ordered(at, 'lt', end)]);
}

const truth = ({ type }: FieldExpression, choices: readonly Json[]): SqlCondition => ({
  sql: `${type} IN (${[...new Set(choices)].map((choice) => (choice === true ? "'true'" : "'false'")).join()})`,
  values: [],
});

function listed({ literal }: FieldExpression, operator: RowComparison['operator'], value: Json): SqlCondition {
  const own = `json_each(doc,${literal})`;
  if (typeof value === 'string') {
    const sql = `EXISTS (SELECT 1 FROM ${own} AS own WHERE own.value = ${boundValue} AND own.type = 'text')`;
    return { sql, values: [JSON.stringify(value)] };
  }
  const choices = JSON.stringify(value);
  const isAmong = "own.type = 'text' AND own.value IN (SELECT value FROM json_each(?))";
  if (operator === 'in' || operator === 'nin') {
    return { sql: `EXISTS (SELECT 1 FROM ${own} AS own WHERE ${isAmong})`, values: [choices] };
  }
  const noOther = `NOT EXISTS (SELECT 1 FROM ${own} AS own WHERE NOT (${isAmong}))`;
  const texts = `SELECT own.value FROM ${own} AS own WHERE own.type = 'text'`;
  const allThere = `NOT EXISTS (SELECT 1 FROM json_each(?) AS wanted WHERE wanted.value NOT IN (${texts}))`;
  return { sql: `${noOther} AND ${allThere}`, values: [choices, choices] };
}

function equalJson(field: string, value: Json, fields: Fields): SqlCondition {
  if (typeof value === 'object') {
    return { sql: `${canonicalCopy(field)} = ${boundValue}`, values: [JSON.stringify(canonicalJson(value))] };
  }
  const kind = typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'boolean';
  return comparing({ field, kind, operator: 'eq', value }, fields);
}

/**
 * The condition `anywhere` searches the column `copies` as one text. It comes first, because it needs no parsing of
 * JSON and excludes most documents.
 */
function searching({ fields, text }: Search): SqlCondition {
  const sought = folded(text);
  const anywhere = {
    sql: `instr(copies, ${boundValue}) > 0`,
    values: [JSON.stringify(JSON.stringify(sought).slice(1, -1))],
  };
  const inFields = fields.map((field) => ({
    sql: `instr(${foldedCopy(field)}, ${boundValue}) > 0`,
    values: [JSON.stringify(sought)],
  }));
  return joined([anywhere, grouped(inFields, 'OR')]);
}
