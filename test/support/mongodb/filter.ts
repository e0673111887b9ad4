import { Context } from 'mingo';
import {
  $all,
  $and,
  $elemMatch,
  $eq,
  $exists,
  type $gt,
  $in,
  $ne,
  $nin,
  $nor,
  $or,
  $regex,
} from 'mingo/operators/query';
import { Query } from 'mingo/query';
import { compare, isSameKind, valueAt } from './order.js';
import { badValue } from './refusal.js';
import type { Fields } from './wire.js';

/** Compares texts by their bytes, as MongoDB does. mingo would compare them as JavaScript does. */
function limit(holds: (sign: number) => boolean): typeof $gt {
  return (path, value) => (document) => {
    const held = valueAt(document, path);
    return isSameKind(held, value) && held !== undefined && held !== null && holds(compare(held, value));
  };
}

/** The supported operators. All others are refused, so that tests notice filters that this server cannot evaluate. */
const context = Context.init({
  query: {
    $and,
    $or,
    $nor,
    $all,
    $elemMatch,
    $regex,
    $eq,
    $ne,
    $in,
    $nin,
    $exists,
    $gt: limit((sign) => sign > 0),
    $gte: limit((sign) => sign >= 0),
    $lt: limit((sign) => sign < 0),
    $lte: limit((sign) => sign <= 0),
  },
});

export interface Filter {
  matches(document: Fields): boolean;
  /** Ids of which matching documents must have one. Undefined if the filter does not restrict ids. */
  readonly ids: readonly unknown[] | undefined;
}

export function filterOf(criteria: unknown): Filter {
  if (typeof criteria !== 'object' || criteria === null) throw badValue('A filter must be an object.');
  mustNameFields(criteria);
  try {
    const query = new Query<Fields>(criteria, { context });
    return { matches: (document) => query.test(document), ids: idsOf((criteria as Fields)['_id']) };
  } catch (error) {
    throw badValue(error instanceof Error ? error.message : 'The filter cannot be understood.');
  }
}

/** Checks the names of operators at every level, as MongoDB does: a name that begins with $ is always an operator. */
function mustNameFields(criteria: object): void {
  for (const [key, value] of Object.entries(criteria)) {
    if (!key.startsWith('$')) continue;
    if (!['$and', '$or', '$nor'].includes(key)) throw badValue(`unknown top level operator: ${key}.`);
    if (!Array.isArray(value) || value.length === 0) throw badValue(`${key} must be a nonempty array`);
    for (const inner of value) mustNameFields(inner);
  }
}

function idsOf(condition: unknown): readonly unknown[] | undefined {
  if (typeof condition === 'string') return [condition];
  if (typeof condition !== 'object' || condition === null) return undefined;
  if ('$eq' in condition) return [condition.$eq];
  return '$in' in condition && Array.isArray(condition.$in) ? condition.$in : undefined;
}
