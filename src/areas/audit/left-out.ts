import { hash } from 'node:crypto';
import type { Difference } from '../../kernel/record/difference.js';
import { isTextRef, type TextRef } from '../../kernel/text/text.js';

/** Maximum length of a shown text, in characters. Names and descriptions are shorter, and most code is longer. */
const longestText = 2_000;
/** Maximum size of an event's data, in bytes of JSON. */
const largestData = 32 * 1024;
const largestValue = 4 * 1024;
const mostChanges = 50;
const longestPath = 300;

/** Replaces a text or value that is too large for a list of events. `audit/getEvent` returns the complete event. */
export interface LeftOut {
  readonly leftOut: 'text' | 'value';
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Long texts are replaced by their digests. If the data is still too large, it is replaced by its digest as a whole.
 */
export const shownData = (data: unknown): unknown => withinBytes(withoutLongTexts(data), largestData);

/**
 * Returns the first 50 changes. Long paths are cut, and long texts and large values are replaced by their digests.
 * `changesLeftOut` is the number of further changes.
 */
export function shownChanges(changes: readonly Difference[]): {
  readonly changes: readonly Difference[];
  readonly changesLeftOut?: number;
} {
  const shown = changes.slice(0, mostChanges).map(({ path, from, to }) => ({
    path: path.length > longestPath ? `${path.slice(0, longestPath)}…` : path,
    from: withinBytes(withoutLongTexts(from), largestValue),
    to: withinBytes(withoutLongTexts(to), largestValue),
  }));
  return { changes: shown, ...(changes.length > mostChanges ? { changesLeftOut: changes.length - mostChanges } : {}) };
}

export const leftOutText = ({ bytes, digest }: TextRef): LeftOut => ({ leftOut: 'text', bytes, sha256: digest });

export function shownState(state: object, most: number): object {
  if (Buffer.byteLength(JSON.stringify(state)) <= most) return state;
  return Object.fromEntries(Object.entries(state).map(([name, member]) => [name, withinBytes(member, largestData)]));
}

function withoutLongTexts(value: unknown): unknown {
  if (isTextRef(value)) return leftOutText(value);
  if (typeof value === 'string') return value.length > longestText ? reference('text', value) : value;
  if (Array.isArray(value)) return value.map(withoutLongTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutLongTexts(member)]));
}

function withinBytes(value: unknown, most: number): unknown {
  const json = JSON.stringify(value) ?? 'null';
  return Buffer.byteLength(json) > most ? reference('value', json) : value;
}

const reference = (leftOut: LeftOut['leftOut'], text: string): LeftOut => ({
  leftOut,
  bytes: Buffer.byteLength(text),
  sha256: hash('sha256', text, 'hex'),
});
