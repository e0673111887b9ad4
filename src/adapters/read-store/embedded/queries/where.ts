import type { Range, Scalar, Where } from '../../../../kernel/record/projection.js';
import { boundValue, type FieldExpression, type Fields } from '../fields.js';

/** `values` are the values of the placeholders, in order, each as JSON. */
export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly string[];
}

const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
type Operator = keyof typeof operators;

export const alwaysTrue: SqlCondition = { sql: 'TRUE', values: [] };
const never: SqlCondition = { sql: 'FALSE', values: [] };

export function joined(conditions: readonly SqlCondition[], by: 'AND' | 'OR' = 'AND'): SqlCondition {
  return {
    sql: conditions.map(({ sql }) => sql).join(` ${by} `),
    values: conditions.flatMap(({ values }) => values),
  };
}

/**
 * A balanced tree, because a flat list of a thousand conditions would exceed SQLite's limit for the depth of
 * expressions.
 */
export function grouped(conditions: readonly SqlCondition[], by: 'AND' | 'OR'): SqlCondition {
  const [first, ...others] = conditions;
  if (first === undefined) return by === 'AND' ? alwaysTrue : never;
  if (others.length === 0) return first;
  const middle = Math.ceil(conditions.length / 2);
  const { sql, values } = joined([grouped(conditions.slice(0, middle), by), grouped(conditions.slice(middle), by)], by);
  return { sql: `(${sql})`, values };
}

/** An absent field is treated as null. Strings are compared by their UTF-8 bytes, not by the rules of a language. */
export function matching(where: Where, fields: Fields): SqlCondition {
  const conditions = Object.entries(where).map(([path, expected]) =>
    isRange(path, expected) ? inRange(fields(path), path, expected) : equal(fields(path), expected),
  );
  return conditions.length === 0 ? alwaysTrue : joined(conditions);
}

/**
 * @throws Error for any value but a scalar or a range. Ignoring undefined, for example, would drop the condition and
 * show other people's documents
 */
function isRange(path: string, expected: Scalar | Range): expected is Range {
  if (typeof expected === 'object' && expected !== null && Object.keys(expected).length > 0) return true;
  if (isScalar(expected)) return false;
  throw new Error(`Invalid condition on ${path}: ${JSON.stringify(expected)}.`);
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
}

function equal({ value, type }: FieldExpression, expected: Scalar): SqlCondition {
  if (expected === null) return { sql: `${value} IS NULL`, values: [] };
  return { sql: `${value} = ${boundValue}${onlyType(type, expected)}`, values: [JSON.stringify(expected)] };
}

/** Booleans, 0 and 1 need a condition on the type, because for SQLite true equals 1 and false equals 0. */
function onlyType(type: string, expected: Scalar): string {
  if (typeof expected === 'boolean') return ` AND ${type} = '${expected}'`;
  return expected === 0 || expected === 1 ? ` AND ${notBoolean(type)}` : '';
}

const notBoolean = (type: string) => `${type} NOT IN ('true','false')`;

function inRange(at: FieldExpression, path: string, range: Range): SqlCondition {
  const { value, type } = at;
  const bounds: SqlCondition[] = [];
  const limits: [Operator, string | number][] = [];
  for (const [name, limit] of Object.entries(range) as [string, unknown][]) {
    if (name === 'in' && Array.isArray(limit) && limit.every(isScalar)) bounds.push(oneOf(at, limit));
    else if (isOperator(name) && (typeof limit === 'string' || Number.isFinite(limit))) {
      bounds.push({ sql: `${value} ${operators[name]} ${boundValue}`, values: [JSON.stringify(limit)] });
      limits.push([name, limit as string | number]);
    } else throw new Error(`Invalid condition on ${path}: ${name} ${JSON.stringify(limit)}.`);
  }
  return joined([...bounds, ...sameType(value, type, limits)]);
}

const isOperator = (name: string): name is Operator => Object.hasOwn(operators, name);

/**
 * SQLite orders numbers before strings and treats booleans as 0 and 1, so a range of numbers could otherwise contain
 * strings and booleans.
 */
function sameType(
  value: string,
  type: string,
  limits: readonly (readonly [Operator, string | number])[],
): SqlCondition[] {
  const has = (kind: 'string' | 'number', side: 'g' | 'l') =>
    limits.some(([name, limit]) => typeof limit === kind && name.startsWith(side));
  const numbers = limits.filter((entry): entry is [Operator, number] => typeof entry[1] === 'number');
  const conditions: string[] = [];
  if (has('number', 'g') && !has('number', 'l')) conditions.push(`${value} < ''`);
  if (has('string', 'l') && !has('string', 'g')) conditions.push(`${value} >= ''`);
  if (numbers.length > 0 && [0, 1].some((as) => numbers.every((entry) => admits(entry, as)))) {
    conditions.push(notBoolean(type));
  }
  return conditions.map((sql) => ({ sql, values: [] }));
}

function admits([name, limit]: readonly [Operator, number], value: number): boolean {
  switch (name) {
    case 'gt':
      return value > limit;
    case 'gte':
      return value >= limit;
    case 'lt':
      return value < limit;
    case 'lte':
      return value <= limit;
  }
}

function oneOf(at: FieldExpression, choices: readonly Scalar[]): SqlCondition {
  const special = (choice: Scalar) => choice === null || typeof choice === 'boolean' || choice === 0 || choice === 1;
  const plain = JSON.stringify(choices.filter((choice) => !special(choice)));
  const list = { sql: `${at.value} IN (SELECT value FROM json_each(?))`, values: [plain] };
  const others = [...new Set(choices.filter(special))].map((choice) => equal(at, choice));
  if (others.length === 0) return list;
  const { sql, values } = joined([list, ...others], 'OR');
  return { sql: `(${sql})`, values };
}
