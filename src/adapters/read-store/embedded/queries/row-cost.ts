import type { Filter } from '../../../../kernel/rows/row-filter.js';
import type { Narrowing } from '../../../../ports/read-store.port.js';

/** Maximum cost per row of a light query, in searched characters. */
const lightest = 200;
const comparison = 10;

/**
 * Whether evaluating the filter and the search costs little per row. It takes 16 µs per row and searched character in
 * the worst case (a value of 240 KB full of near matches).
 */
export function isLight({ filter, search }: Narrowing): boolean {
  return (search?.text.length ?? 0) + (filter === undefined ? 0 : costOf(filter)) <= lightest;
}

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
