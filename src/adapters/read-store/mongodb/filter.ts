import { canonicalJson } from '../../../kernel/json/canonical-json.js';
import type { Json } from '../../../kernel/json/json.js';
import type { Where } from '../../../kernel/record/projection.js';
import { checkComparison, type Filter, type RowComparison, type Search } from '../../../kernel/rows/row-filter.js';
import { afterAllWith } from '../../../kernel/text/code-points.js';
import { folded } from '../../../kernel/text/folded.js';
import type { Narrowing } from '../../../ports/read-store.port.js';
import { joined, type MongoCondition, matching } from './conditions.js';
import { copyPath, fieldPath } from './fields.js';

export function narrowed(where: Where, { filter, search }: Narrowing): MongoCondition {
  const conditions = [matching(where)];
  if (filter !== undefined) conditions.push(filtering(filter));
  if (search !== undefined) conditions.push(searching(search));
  return joined(conditions.filter((condition) => Object.keys(condition).length > 0));
}

const nothing: MongoCondition = { _id: { $in: [] } };
const either = (conditions: readonly MongoCondition[]): MongoCondition =>
  conditions.length === 0 ? nothing : { $or: [...conditions] };
const not = (condition: MongoCondition): MongoCondition => ({ $nor: [condition] });

function filtering(filter: Filter): MongoCondition {
  if ('all' in filter) return joined(filter.all.map(filtering));
  if ('any' in filter) return either(filter.any.map(filtering));
  if ('not' in filter) return not(filtering(filter.not));
  checkComparison(filter);
  const { field, operator } = filter;
  switch (operator) {
    case 'isEmpty':
      return empty(field);
    case 'isNotEmpty':
      return not(empty(field));
    case 'ne':
    case 'nin':
      return not(comparing(filter));
    default:
      return comparing(filter);
  }
}

/**
 * A value is always the operand of one of our operators, so MongoDB never interprets a caller's value as an operator.
 */
function comparing({ field, kind, operator, value = null }: RowComparison): MongoCondition {
  switch (kind) {
    case 'text':
      return textual(field, operator, value);
    case 'number':
    case 'boolean':
      return on(fieldPath(field), signOf(operator), value);
    case 'list':
      return listed(field, operator, value);
    case 'json':
      return typeof value === 'object'
        ? on(copyPath('canonical', field), '$eq', canonicalJson(value))
        : on(fieldPath(field), '$eq', value);
  }
}

const on = (path: string, sign: string, value: unknown): MongoCondition =>
  ({ [path]: { [sign]: value } }) as MongoCondition;

/** Null values are stored as absent fields. */
const empty = (field: string) =>
  either([on(fieldPath(field), '$in', [null, '']), on(copyPath('canonical', field), '$eq', '[]')]);

function signOf(operator: RowComparison['operator']): string {
  if (operator === 'ne') return '$eq';
  return operator === 'nin' ? '$in' : `$${operator}`;
}

function textual(field: string, operator: RowComparison['operator'], value: Json): MongoCondition {
  const path = fieldPath(field);
  if (operator === 'contains') return on(path, '$regex', patternOf(String(value)));
  if (operator === 'eqIgnoringCase') return on(path, '$regex', `^${anyCase(String(value))}${end}`);
  if (operator !== 'startsWith') return on(path, signOf(operator), value);
  const after = afterAllWith(String(value));
  return joined([on(path, '$gte', value), ...(after === undefined ? [] : [on(path, '$lt', after)])]);
}

function listed(field: string, operator: RowComparison['operator'], value: Json): MongoCondition {
  const path = copyPath('lists', field);
  if (typeof value === 'string') return on(path, '$eq', value);
  if (operator === 'in' || operator === 'nin') return on(path, '$in', value);
  if (!Array.isArray(value) || value.length === 0) return on(copyPath('canonical', field), '$eq', '[]');
  return joined([on(path, '$all', value), not(on(path, '$elemMatch', { $nin: value }))]);
}

/** Escapes each ASCII character other than a letter or a digit, so that it has no meaning in the pattern. */
const patternOf = (text: string): string =>
  text.replaceAll(
    /[^\p{L}\p{N}\u{80}-\u{10ffff}]/gu,
    (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );

const anyCase = (text: string): string =>
  patternOf(text).replaceAll(/\\x..|[A-Za-z]/g, (sign) =>
    sign.length > 1 ? sign : `[${sign.toUpperCase()}${sign.toLowerCase()}]`,
  );

/** Used instead of `$`, which would also match before a final line feed. */
const end = '(?![\\s\\S])';

const searching = ({ fields, text }: Search): MongoCondition =>
  either(fields.map((field) => on(copyPath('folded', field), '$regex', patternOf(folded(text)))));
