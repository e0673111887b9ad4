import type { Query } from '../../../ports/read-store.port.js';
import { bound, place } from './fields.js';
import { type Condition, joined, matching } from './where.js';

type Direction = 'asc' | 'desc';
type Sort = readonly (readonly [field: string, direction: Direction])[];

/** A stretch of the answer: what it holds and in which order. The answer is one stretch after the other. */
export interface Stretch extends Condition {
  readonly order: string;
}

/**
 * The place after a document is several ranges of an index, not one: the same first value and a later second one,
 * then a later first one, then the nulls. One statement over all of them would have to run through everything before
 * the place; one statement each begins where it should, and a page is mostly filled by the first.
 * Null and absent come before everything else, ascending.
 */
export function stretches(query: Query): readonly Stretch[] {
  const filter = matching(query.where);
  const sort = total(query.sort ?? []);
  if (query.after === undefined) return [{ ...filter, order: order(sort) }];
  const { after } = query;
  if (after.length !== sort.length) {
    throw new Error(`A place after a document has ${sort.length} values here, not ${after.length}.`);
  }
  const values = after.map((value) => value ?? null);
  return sort.flatMap((_, from) => beyond(filter, sort, values, sort.length - 1 - from));
}

export function limitOf(query: Query): number {
  if (query.limit === undefined) return Number.MAX_SAFE_INTEGER;
  if (Number.isSafeInteger(query.limit) && query.limit >= 0) return query.limit;
  throw new Error(`Not a limit: ${query.limit}.`);
}

function total(sort: Sort): Sort {
  return [...sort, ['id', sort.at(-1)?.[1] ?? 'asc']];
}

/** What has the same values before field `at` and comes later by that field. */
function beyond(filter: Condition, sort: Sort, values: readonly unknown[], at: number): readonly Stretch[] {
  const [field, direction] = sort[at] ?? ['id', 'asc'];
  const { value: column } = place(field);
  const same = sort.slice(0, at).map(([name], index) => equals(place(name).value, values[index]));
  const stretch = (later: Condition, rest: Sort): Stretch => ({
    ...joined([filter, ...same, later]),
    order: order(rest),
  });
  const rest = sort.slice(at);
  const later = (sign: '<' | '>') =>
    stretch({ sql: `${column} ${sign} ${bound}`, values: [JSON.stringify(values[at])] }, rest);
  if (direction === 'asc') {
    return [values[at] === null ? stretch({ sql: `${column} IS NOT NULL`, values: [] }, rest) : later('>')];
  }
  if (values[at] === null) return [];
  return field === 'id' ? [later('<')] : [later('<'), stretch(equals(column, null), sort.slice(at + 1))];
}

function equals(column: string, value: unknown): Condition {
  if (value === null) return { sql: `${column} IS NULL`, values: [] };
  return { sql: `${column} = ${bound}`, values: [JSON.stringify(value)] };
}

function order(sort: Sort): string {
  return sort.map(([field, direction]) => `${place(field).value}${direction === 'desc' ? ' DESC' : ''}`).join(', ');
}
