import type { Sort } from '../../../../kernel/rows/row-order.js';
import type { Query } from '../../../../ports/read-store.port.js';
import { boundValue } from '../fields.js';
import type { SortColumns } from '../tables/columns.js';
import { narrowed } from './filter.js';
import { joined, type SqlCondition } from './where.js';

export interface KeysetRange extends SqlCondition {
  readonly order: string;
}

/**
 * Splits a query into ranges, each of which is contiguous in an index. A statement per range seeks to its start,
 * whereas a single statement would scan everything before the page.
 */
export function keysetRanges(query: Query, columns: SortColumns): readonly KeysetRange[] {
  const filter = narrowed(query.where, query, columns.fields);
  const sort = total(query.sort ?? []);
  const rangeQuery = { filter, sort, isLast: query.missing === 'last', columns };
  if (query.after === undefined) return fromTheBeginning(rangeQuery);
  const { after } = query;
  if (after.length !== sort.length) {
    throw new Error(`A position after a document must have ${sort.length} values here, not ${after.length}.`);
  }
  const values = after.map((value) => value ?? null);
  return sort.flatMap((_, from) => beyond({ ...rangeQuery, values }, sort.length - 1 - from));
}

interface RangeQuery {
  readonly filter: SqlCondition;
  readonly sort: Sort;
  readonly isLast: boolean;
  readonly columns: SortColumns;
}

function fromTheBeginning({ filter, sort, isLast, columns }: RangeQuery): readonly KeysetRange[] {
  const [first, ...rest] = sort;
  const isWhole = first === undefined || first[0] === 'id' || (first[1] === 'desc' && !columns.missingIsLast(first[0]));
  if (!isLast || isWhole) return [{ ...filter, order: order(sort, columns, isLast) }];
  const [field] = first;
  return [
    { ...joined([filter, columns.there(field)]), order: order(sort, columns, false, isLast) },
    { ...joined([filter, columns.missing(field)]), order: order(rest, columns, isLast) },
  ];
}

export function limitOf({ limit }: Pick<Query, 'limit'>): number {
  if (limit === undefined) return Number.MAX_SAFE_INTEGER;
  if (Number.isSafeInteger(limit) && limit >= 0) return limit;
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

function beyond(rangeQuery: RangeQuery & { readonly values: readonly unknown[] }, at: number): readonly KeysetRange[] {
  const { filter, sort, isLast, columns, values } = rangeQuery;
  const [field, direction] = sort[at] ?? ['id', 'asc'];
  const same = sort.slice(0, at).map(([name], index) => equals(name, values[index], columns));
  const stretch = (later: SqlCondition, rest: Sort): KeysetRange => ({
    ...joined([filter, ...same, later]),
    order: order(rest, columns, isLast),
  });
  const rest = sort.slice(at);
  const later = (sign: '<' | '>') => {
    const beyondIt = { sql: `${columns.columnOf(field)} ${sign} ${boundValue}`, values: [JSON.stringify(values[at])] };
    return stretch(columns.missingIsLast(field) ? joined([beyondIt, columns.there(field)]) : beyondIt, rest);
  };
  if (direction === 'asc' && (!isLast || field === 'id')) {
    return [values[at] === null ? stretch(columns.there(field), rest) : later('>')];
  }
  if (values[at] === null) return [];
  const sign = direction === 'asc' ? '>' : '<';
  return field === 'id' ? [later(sign)] : [later(sign), stretch(columns.missing(field), sort.slice(at + 1))];
}

function equals(field: string, value: unknown, columns: SortColumns): SqlCondition {
  if (value === null) return columns.missing(field);
  return { sql: `${columns.columnOf(field)} = ${boundValue}`, values: [JSON.stringify(value)] };
}

/** Omits NULLS LAST where possible, because SQLite uses an index only for an order without it. */
function order(sort: Sort, columns: SortColumns, isFirstLast: boolean, isLast = isFirstLast): string {
  const term = ([field, direction]: Sort[number], at: number) => {
    if (direction === 'desc') return `${columns.columnOf(field)} DESC`;
    const needsWord = field !== 'id' && !columns.missingIsLast(field) && (at === 0 ? isFirstLast : isLast);
    return `${columns.columnOf(field)}${needsWord ? ' NULLS LAST' : ''}`;
  };
  return sort.map(term).join(', ');
}
