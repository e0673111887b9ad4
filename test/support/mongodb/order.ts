import { Binary } from 'bson';
import type { Fields } from './wire.js';

/** Returns the position of a value's type in BSON's order. Absent values are ordered like null. */
function rank(value: unknown): number {
  if (value === undefined || value === null) return 1;
  switch (typeof value) {
    case 'number':
      return 2;
    case 'string':
      return 3;
    case 'boolean':
      return 8;
    default:
      if (value instanceof Binary) return 6;
      if (value instanceof Date) return 9;
      return Array.isArray(value) ? 5 : 4;
  }
}

export const isSameKind = (left: unknown, right: unknown): boolean => rank(left) === rank(right);

/**
 * Compares values in BSON's order: null, numbers, texts by the bytes of their UTF-8, objects, bytes, booleans, dates.
 */
export function compare(left: unknown, right: unknown): number {
  const kinds = rank(left) - rank(right);
  if (kinds !== 0) return Math.sign(kinds);
  if (typeof left === 'string') return Buffer.compare(Buffer.from(left), Buffer.from(String(right)));
  if (left instanceof Binary && right instanceof Binary) return Buffer.compare(left.buffer, right.buffer);
  if (typeof left === 'object' && left !== null && !(left instanceof Date)) {
    return compareLists(Object.entries(left).flat(), Object.entries(right as object).flat());
  }
  return Math.sign(Number(left) - Number(right)) || 0;
}

function compareLists(left: readonly unknown[], right: readonly unknown[]): number {
  for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
    const sign = compare(left[at], right[at]);
    if (sign !== 0) return sign;
  }
  return Math.sign(left.length - right.length);
}

/** Returns the value at a dotted path. Lists are not searched, because the service uses no path through a list. */
export function valueAt(document: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => {
    const isObject = typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key);
    return isObject ? (inner as Fields)[key] : undefined;
  }, document);
}

/** Returns a comparison in BSON's order for a sort specification such as `{ a: 1, b: -1 }`. */
export function bySort(sort: Fields): (left: Fields, right: Fields) => number {
  const keys = Object.entries(sort);
  return (left, right) => {
    for (const [path, direction] of keys) {
      const sign = compare(valueAt(left, path), valueAt(right, path));
      if (sign !== 0) return sign * Number(direction);
    }
    return 0;
  };
}

/** Returns a text that is equal exactly for equal keys. */
export const keyText = (value: unknown): string => `${rank(value)}:${JSON.stringify(value ?? null)}`;
