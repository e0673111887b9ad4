import type { Filter } from '../../../../kernel/rows/row-filter.js';
import type { Narrowing } from '../../../../ports/read-store.port.js';

/** What a row may cost of a query that is begun in the thread for short ones, in characters that are looked for. */
const lightest = 200;
/** A comparison reads one value of the row, which costs as much as looking for so many characters. */
const comparison = 10;

/**
 * Whether a query does little with each row: few comparisons, and looks for no long texts. In a value of 240 KB that almost
 * contains it everywhere, each character that is looked for costs 16 µs.
 */
export function isLight({ filter, search }: Narrowing): boolean {
  return (search?.text.length ?? 0) + (filter === undefined ? 0 : costOf(filter)) <= lightest;
}

/** Whether a query looks for parts of values, which takes time that grows with them. */
export function looksInside(filter: Filter): boolean {
  if ('field' in filter) return filter.operator === 'contains';
  return partsOf(filter).some(looksInside);
}

function costOf(filter: Filter): number {
  if (!('field' in filter)) return partsOf(filter).reduce((sum, part) => sum + costOf(part), 0);
  const { operator, value } = filter;
  return comparison + (operator === 'contains' && typeof value === 'string' ? value.length : 0);
}

function partsOf(filter: Exclude<Filter, { readonly field: string }>): readonly Filter[] {
  if ('all' in filter) return filter.all;
  return 'any' in filter ? filter.any : [filter.not];
}
