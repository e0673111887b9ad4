/** How a sequence of events is not the one it should be, and where this shows first. */
export interface ChainDifference {
  readonly how: 'changed' | 'dropped' | 'inserted' | 'reordered' | 'truncated';
  /** Index of the first item that is not in its place. */
  readonly at: number;
  /** How many are missing together: those dropped here, or all from here to the end. */
  readonly missing: number;
}

/**
 * Compares digests with those they should be; no digest stands twice in a list. Undefined: they are the same, as far
 * as the shorter of the two goes when more may follow.
 *
 * @param isWhole nothing follows the actual ones, so what is not among them is missing
 */
export function firstDifference(
  expected: readonly string[],
  actual: readonly string[],
  isWhole: boolean,
): ChainDifference | undefined {
  const at = expected.findIndex((digest, index) => digest !== actual[index]);
  const found = actual[at];
  const wanted = expected[at];
  if (wanted === undefined) return undefined;
  if (found === undefined) return isWhole ? { how: 'truncated', at, missing: expected.length - at } : undefined;
  const wantedLater = actual.includes(wanted, at);
  const foundLater = expected.indexOf(found, at);
  if (foundLater < 0) return { how: wantedLater ? 'inserted' : 'changed', at, missing: 0 };
  if (wantedLater) return { how: 'reordered', at, missing: 0 };
  const later = new Set(actual.slice(at));
  const next = expected.findIndex((digest, index) => index > at && later.has(digest));
  return { how: 'dropped', at, missing: next - at };
}
