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

/** mingo compares texts as JavaScript does, MongoDB by their bytes. */
function limit(holds: (sign: number) => boolean): typeof $gt {
  return (path, value) => (document) => {
    const held = valueAt(document, path);
    return isSameKind(held, value) && held !== undefined && held !== null && holds(compare(held, value));
  };
}

/** Whatever else a filter asks for is an error, as it would be if MongoDB did not know it. */
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
  /** The documents it can match have one of these ids; undefined: any. */
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

/** MongoDB takes fields and operators for what they are by their first letter alone, at every level. */
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
