import type { Filter } from 'mongodb';
import type { Range, Scalar, Where } from '../../../kernel/record/projection.js';
import { comparable, fieldPath, type Stored } from './fields.js';

export type MongoCondition = Filter<Stored>;

/** The value is always the operand of one of our operators, so customers' text cannot become an operator. */
export function on(path: string, operator: '$eq' | '$ne' | Limit, value: Scalar): MongoCondition {
  return { [fieldPath(path)]: { [operator]: compared(value) } } as MongoCondition;
}

const compared = (value: Scalar): Scalar => (typeof value === 'string' ? comparable(value) : value);

type Limit = (typeof limits)[keyof typeof limits];
const limits = { gt: '$gt', gte: '$gte', lt: '$lt', lte: '$lte' } as const;

export function joined(conditions: readonly MongoCondition[]): MongoCondition {
  return conditions.length === 0 ? {} : { $and: [...conditions] };
}

/**
 * An absent field is treated as null. MongoDB compares strings by their UTF-8 bytes, and values only with values of the
 * same type.
 */
export function matching(where: Where): MongoCondition {
  return joined(
    Object.entries(where).flatMap(([path, expected]) =>
      isRange(path, expected) ? inRange(path, expected) : [on(path, '$eq', expected)],
    ),
  );
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

function inRange(path: string, range: Range): readonly MongoCondition[] {
  return Object.entries(range).map(([name, limit]: [string, unknown]) => {
    if (name === 'in' && Array.isArray(limit) && limit.every(isScalar)) {
      return { [fieldPath(path)]: { $in: limit.map(compared) } } as MongoCondition;
    }
    if (isLimit(name) && (typeof limit === 'string' || (typeof limit === 'number' && Number.isFinite(limit)))) {
      return on(path, limits[name], limit);
    }
    throw new Error(`Invalid condition on ${path}: ${name} ${JSON.stringify(limit)}.`);
  });
}

const isLimit = (name: string): name is keyof typeof limits => Object.hasOwn(limits, name);
