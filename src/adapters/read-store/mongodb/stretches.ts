import type { Query } from '../../../ports/read-store.port.js';
import { type Condition, joined, matching, on } from './conditions.js';
import { place } from './fields.js';

type Direction = 'asc' | 'desc';
type Sort = readonly (readonly [field: string, direction: Direction])[];
type Value = string | number | boolean | null;

/** A part of the answer: its condition and its order. The answer is the parts one after the other. */
export interface Stretch {
  readonly filter: Condition;
  readonly sort: ReadonlyMap<string, 1 | -1>;
}

/**
 * What follows a document is not one range of an index but several: the same first value with a later second one, then
 * later first values, then the nulls. One query for all of them would scan everything before the document. With one
 * query per range, each begins at its place, and the first usually fills the page. Null and absent come before
 * everything else when ascending.
 */
export function stretches(query: Query): readonly Stretch[] {
  const filter = matching(query.where);
  const sort = total(query.sort ?? []);
  if (query.after === undefined) return [{ filter, sort: order(sort) }];
  const { after } = query;
  if (after.length !== sort.length) {
    throw new Error(`A place after a document has ${sort.length} values here, not ${after.length}.`);
  }
  const values = after.map((value) => value ?? null);
  return sort.flatMap((_, from) => beyond(filter, sort, values, sort.length - 1 - from));
}

/** Undefined: no limit. MongoDB reads a limit of 0 as no limit too, so the caller must not query with it. */
export function limitOf({ limit }: Query): number | undefined {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit >= 0)) return limit;
  throw new Error(`Not a limit: ${limit}.`);
}

function total(sort: Sort): Sort {
  return [...sort, ['id', sort.at(-1)?.[1] ?? 'asc']];
}

/** Documents with the same values before field `at` and a later value in it. */
function beyond(filter: Condition, sort: Sort, values: readonly Value[], at: number): readonly Stretch[] {
  const [field, direction] = sort[at] ?? ['id', 'asc'];
  const value = values[at] ?? null;
  const same = sort.slice(0, at).map(([name], index) => on(name, '$eq', values[index] ?? null));
  const stretch = (later: Condition, rest: Sort): Stretch => ({
    filter: joined([filter, ...same, later]),
    sort: order(rest),
  });
  const rest = sort.slice(at);
  if (direction === 'asc') return [stretch(on(field, value === null ? '$ne' : '$gt', value), rest)];
  if (value === null) return [];
  const later = stretch(on(field, '$lt', value), rest);
  return field === 'id' ? [later] : [later, stretch(on(field, '$eq', null), sort.slice(at + 1))];
}

/** If a field is named twice, only the first counts, as in any ordering. */
function order(sort: Sort): ReadonlyMap<string, 1 | -1> {
  const keys = new Map<string, 1 | -1>();
  for (const [field, direction] of sort) {
    const path = place(field);
    if (!keys.has(path)) keys.set(path, direction === 'asc' ? 1 : -1);
  }
  return keys;
}
