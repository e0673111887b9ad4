import type { Json } from '../json/json.js';
import { compareTexts } from '../text/code-points.js';
import { ownFieldOf } from './row-filter.js';

export type Sort = readonly (readonly [field: string, direction: 'asc' | 'desc'])[];

/** Absent and null values come last in both directions, and ids break ties. */
export function rowOrder(sort: Sort): (left: object, right: object) => number {
  const total: Sort = [...sort, ['id', sort.at(-1)?.[1] ?? 'asc']];
  return (left, right) => {
    for (const [field, direction] of total) {
      const sign = compareValues(ownFieldOf(left, field), ownFieldOf(right, field), direction);
      if (sign !== 0) return sign;
    }
    return 0;
  };
}

/**
 * Puts missing values last in both directions. Numbers come before texts in ascending order, and after them in
 * descending order.
 */
export function compareValues(left: Json | undefined, right: Json | undefined, direction: 'asc' | 'desc'): number {
  if (left == null || right == null) return Number(left == null) - Number(right == null);
  const sign = Math.sign(distance(left, right));
  return direction === 'asc' ? sign : -sign;
}

function distance(left: Json, right: Json): number {
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(left, right);
  if (typeof left === 'string' || typeof right === 'string') return typeof left === 'string' ? 1 : -1;
  return Number(left) - Number(right);
}
