import type { Query } from '../../../ports/read-store.port.js';
import { type Condition, joined, matching, on } from './conditions.js';
import { place } from './fields.js';

type Direction = 'asc' | 'desc';
type Sort = readonly (readonly [field: string, direction: Direction])[];
type Value = string | number | boolean | null;

/** A stretch of the answer: what it holds and in which order. The answer is one stretch after the other. */
export interface Stretch {
  readonly filter: Condition;
  readonly sort: ReadonlyMap<string, 1 | -1>;
}

/**
 * The place after a document is several ranges of an index, not one: the same first value and a later second one,
 * then a later first one, then the nulls. One query over all of them would have to run through everything before the
 * place; one each begins where it should, and a page is mostly filled by the first.
 * Null and absent come before everything else, ascending.
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

/** Undefined: no limit. To MongoDB a limit of 0 would say that, so the caller must not ask it for nothing. */
export function limitOf({ limit }: Query): number | undefined {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit >= 0)) return limit;
  throw new Error(`Not a limit: ${limit}.`);
}

function total(sort: Sort): Sort {
  return [...sort, ['id', sort.at(-1)?.[1] ?? 'asc']];
}

/** What has the same values before field `at` and comes later by that field. */
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

/** Of a field named twice the first counts, as it does in any order. */
function order(sort: Sort): ReadonlyMap<string, 1 | -1> {
  const keys = new Map<string, 1 | -1>();
  for (const [field, direction] of sort) {
    const path = place(field);
    if (!keys.has(path)) keys.set(path, direction === 'asc' ? 1 : -1);
  }
  return keys;
}
