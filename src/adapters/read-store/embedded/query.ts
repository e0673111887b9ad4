import type { Sort } from '../../../kernel/row-order.js';
import type { Query } from '../../../ports/read-store.port.js';
import { bound, place } from './fields.js';
import { narrowed } from './filter.js';
import { type Condition, joined } from './where.js';

/** A part of the answer: its condition and its order. The answer is the parts one after the other. */
export interface Stretch extends Condition {
  readonly order: string;
}

/**
 * What follows a document is not one range of an index but several: the same first value with a later second one, then
 * later first values, then the nulls. One statement for all of them would scan everything before the document. With one
 * statement per range, each begins at its place, and the first usually fills the page. Null and absent come before
 * everything else when ascending, unless they are to come last: then they are a part of their own too, because an index
 * has them first.
 */
export function stretches(query: Query): readonly Stretch[] {
  const filter = narrowed(query.where, query);
  const sort = total(query.sort ?? []);
  const isLast = query.missing === 'last';
  if (query.after === undefined) return fromTheBeginning(filter, sort, isLast);
  const { after } = query;
  if (after.length !== sort.length) {
    throw new Error(`A place after a document has ${sort.length} values here, not ${after.length}.`);
  }
  const values = after.map((value) => value ?? null);
  return sort.flatMap((_, from) => beyond(filter, { sort, values, isLast }, sort.length - 1 - from));
}

function fromTheBeginning(filter: Condition, sort: Sort, isLast: boolean): readonly Stretch[] {
  const [first, ...rest] = sort;
  if (!isLast || first === undefined || first[0] === 'id' || first[1] === 'desc') {
    return [{ ...filter, order: order(sort, isLast) }];
  }
  const { value } = place(first[0]);
  const there = joined([filter, { sql: `${value} IS NOT NULL`, values: [] }]);
  return [
    { ...there, order: order(sort, false, isLast) },
    { ...joined([filter, equals(value, null)]), order: order(rest, isLast) },
  ];
}

export function limitOf({ limit }: Pick<Query, 'limit'>): number {
  if (limit === undefined) return Number.MAX_SAFE_INTEGER;
  if (Number.isSafeInteger(limit) && limit >= 0) return limit;
  throw new Error(`Not a limit: ${limit}.`);
}

interface Place {
  readonly sort: Sort;
  readonly values: readonly unknown[];
  readonly isLast: boolean;
}

function total(sort: Sort): Sort {
  return [...sort, ['id', sort.at(-1)?.[1] ?? 'asc']];
}

/** Documents with the same values before field `at` and a later value in it. */
function beyond(filter: Condition, { sort, values, isLast }: Place, at: number): readonly Stretch[] {
  const [field, direction] = sort[at] ?? ['id', 'asc'];
  const { value: column } = place(field);
  const same = sort.slice(0, at).map(([name], index) => equals(place(name).value, values[index]));
  const stretch = (later: Condition, rest: Sort): Stretch => ({
    ...joined([filter, ...same, later]),
    order: order(rest, isLast),
  });
  const rest = sort.slice(at);
  const later = (sign: '<' | '>') =>
    stretch({ sql: `${column} ${sign} ${bound}`, values: [JSON.stringify(values[at])] }, rest);
  if (direction === 'asc' && (!isLast || field === 'id')) {
    return [values[at] === null ? stretch({ sql: `${column} IS NOT NULL`, values: [] }, rest) : later('>')];
  }
  if (values[at] === null) return [];
  const sign = direction === 'asc' ? '>' : '<';
  return field === 'id' ? [later(sign)] : [later(sign), stretch(equals(column, null), sort.slice(at + 1))];
}

function equals(column: string, value: unknown): Condition {
  if (value === null) return { sql: `${column} IS NULL`, values: [] };
  return { sql: `${column} = ${bound}`, values: [JSON.stringify(value)] };
}

/** @param isFirstLast whether that is so for the first field. An index serves only the order that needs no such word. */
function order(sort: Sort, isFirstLast: boolean, isLast = isFirstLast): string {
  const term = ([field, direction]: Sort[number], at: number) => {
    if (direction === 'desc') return `${place(field).value} DESC`;
    const last = field !== 'id' && (at === 0 ? isFirstLast : isLast);
    return `${place(field).value}${last ? ' NULLS LAST' : ''}`;
  };
  return sort.map(term).join(', ');
}
