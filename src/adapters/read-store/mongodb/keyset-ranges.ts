import type { Sort } from '../../../kernel/rows/row-order.js';
import type { Query } from '../../../ports/read-store.port.js';
import { joined, type MongoCondition, on } from './conditions.js';
import { fieldPath } from './fields.js';
import { narrowed } from './filter.js';

type Value = string | number | boolean | null;

export interface KeysetRange {
  readonly filter: MongoCondition;
  readonly sort: ReadonlyMap<string, 1 | -1>;
  /** For each sort field in which missing values come last: the name of a computed field that marks missing values. */
  readonly last: ReadonlyMap<string, string>;
}

/**
 * Splits a query into ranges, each of which is contiguous in an index. A query per range seeks to its start, whereas a
 * single query would scan everything before the page.
 */
export function keysetRanges(query: Query): readonly KeysetRange[] {
  const filter = narrowed(query.where, query);
  const sort = total(query.sort ?? []);
  const isLast = query.missing === 'last';
  if (query.after === undefined) return fromTheBeginning(filter, sort, isLast);
  const { after } = query;
  if (after.length !== sort.length) {
    throw new Error(`A position after a document must have ${sort.length} values here, not ${after.length}.`);
  }
  const values = after.map((value) => value ?? null);
  return sort.flatMap((_, from) => beyond(filter, { sort, values, isLast }, sort.length - 1 - from));
}

function fromTheBeginning(filter: MongoCondition, sort: Sort, isLast: boolean): readonly KeysetRange[] {
  const [first, ...rest] = sort;
  if (!isLast || first === undefined || first[0] === 'id' || first[1] === 'desc') {
    return [{ filter, ...order(sort, isLast) }];
  }
  const there = { filter: joined([filter, on(first[0], '$ne', null)]), ...order(sort, false, isLast) };
  return [there, { filter: joined([filter, on(first[0], '$eq', null)]), ...order(rest, isLast) }];
}

interface RangeStart {
  readonly sort: Sort;
  readonly values: readonly Value[];
  readonly isLast: boolean;
}

/** The caller must not query with a limit of 0, because MongoDB treats it as no limit. */
export function limitOf({ limit }: Pick<Query, 'limit'>): number | undefined {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit >= 0)) return limit;
  throw new Error(`Invalid limit: ${limit}.`);
}

/** @throws Error if `skip` is invalid or is combined with `after` or `missing` */
export function skipOf({ skip = 0, after, missing }: Pick<Query, 'skip' | 'after' | 'missing'>): number {
  const isWhole = after === undefined && missing === undefined;
  if (Number.isSafeInteger(skip) && (skip === 0 || (skip > 0 && isWhole))) return skip;
  throw new Error(`This query cannot skip ${skip} documents.`);
}

function total(sort: Sort): Sort {
  return [...sort, ['id', sort.at(-1)?.[1] ?? 'asc']];
}

function beyond(filter: MongoCondition, { sort, values, isLast }: RangeStart, at: number): readonly KeysetRange[] {
  const [field, direction] = sort[at] ?? ['id', 'asc'];
  const value = values[at] ?? null;
  const same = sort.slice(0, at).map(([name], index) => on(name, '$eq', values[index] ?? null));
  const stretch = (later: MongoCondition, rest: Sort): KeysetRange => ({
    filter: joined([filter, ...same, later]),
    ...order(rest, isLast),
  });
  const rest = sort.slice(at);
  if (direction === 'asc' && (!isLast || field === 'id'))
    return [stretch(on(field, value === null ? '$ne' : '$gt', value), rest)];
  if (value === null) return [];
  const later = stretch(on(field, direction === 'asc' ? '$gt' : '$lt', value), rest);
  return field === 'id' ? [later] : [later, stretch(on(field, '$eq', null), sort.slice(at + 1))];
}

function order(sort: Sort, isFirstLast: boolean, isLast = isFirstLast): Pick<KeysetRange, 'sort' | 'last'> {
  const keys = new Map<string, 1 | -1>();
  const last = new Map<string, string>();
  for (const [at, [field, direction]] of sort.entries()) {
    const path = fieldPath(field);
    if (keys.has(path)) continue;
    // In descending order, MongoDB puts missing values last by itself.
    if (direction === 'asc' && field !== 'id' && (at === 0 ? isFirstLast : isLast)) {
      last.set(path, `missing${at}`);
      keys.set(`missing${at}`, 1);
    }
    keys.set(path, direction === 'asc' ? 1 : -1);
  }
  return { sort: keys, last };
}
