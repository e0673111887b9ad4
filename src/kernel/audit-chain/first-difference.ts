export interface ChainDifference {
  readonly how: 'changed' | 'dropped' | 'inserted' | 'reordered' | 'truncated';
  readonly at: number;
  /** Number of items that are missing from `at` on, if `how` is `dropped` or `truncated`. Otherwise 0. */
  readonly missing: number;
}

/**
 * Neither list may contain a digest twice. Digests that `actual` has after the end of `expected` are not a difference.
 * @param isWhole whether `actual` is the complete list, so that a missing end is a difference
 */
export function firstDifference(
  expected: readonly string[],
  actual: readonly string[],
  isWhole: boolean,
): ChainDifference | undefined {
  const at = expected.findIndex((digest, index) => digest !== actual[index]);
  const found = actual[at];
  const expectedHere = expected[at];
  if (expectedHere === undefined) return undefined;
  if (found === undefined) return isWhole ? { how: 'truncated', at, missing: expected.length - at } : undefined;
  const expectedLater = actual.includes(expectedHere, at);
  const foundLater = expected.indexOf(found, at);
  if (foundLater < 0) return { how: expectedLater ? 'inserted' : 'changed', at, missing: 0 };
  if (expectedLater) return { how: 'reordered', at, missing: 0 };
  const later = new Set(actual.slice(at));
  const next = expected.findIndex((digest, index) => index > at && later.has(digest));
  return { how: 'dropped', at, missing: next - at };
}
