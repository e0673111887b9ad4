import type { Query } from '../../../ports/read-store.port.js';
import { bound, place } from './fields.js';
import { type Condition, joined, matching } from './where.js';

type Direction = 'asc' | 'desc';
type Sort = readonly (readonly [field: string, direction: Direction])[];

/** A part of the answer: its condition and its order. The answer is the parts one after the other. */
export interface Stretch extends Condition {
  readonly order: string;
}

/**
 * What follows a document is not one range of an index but several: the same first value with a later second one, then
 * later first values, then the nulls. One statement for all of them would scan everything before the document. With one
 * statement per range, each begins at its place, and the first usually fills the page. Null and absent come before
 * everything else when ascending.
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

/** Documents with the same values before field `at` and a later value in it. */
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
