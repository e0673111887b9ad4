import { isDeepStrictEqual } from 'node:util';
import { isTextRef } from '../text/text.js';

export interface Difference {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isTextRef(value);

/**
 * Compares objects and lists member by member, and other values, including references to texts, as a whole. A missing
 * value is shown as null. Members that are only in `from` come after those in `to`.
 */
export function differences(from: unknown, to: unknown, path = ''): readonly Difference[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (isPlain(from) && isPlain(to)) {
    const keys = [...Object.keys(to), ...Object.keys(from).filter((key) => !Object.hasOwn(to, key))];
    return keys.flatMap((key) => differences(own(from, key), own(to, key), path === '' ? key : `${path}.${key}`));
  }
  if (Array.isArray(from) && Array.isArray(to)) {
    const length = Math.max(from.length, to.length);
    return Array.from({ length }, (_, index) => differences(from[index], to[index], `${path}[${index}]`)).flat();
  }
  return [{ path, from: from ?? null, to: to ?? null }];
}

function own(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
