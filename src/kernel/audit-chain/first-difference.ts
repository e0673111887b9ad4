/** How a sequence of events differs from the expected one, and where first. */
export interface ChainDifference {
  readonly how: 'changed' | 'dropped' | 'inserted' | 'reordered' | 'truncated';
  /** Index of the first item that is out of place. */
  readonly at: number;
  /** How many items are missing here, or from here to the end. */
  readonly missing: number;
}

/**
 * Compares digests with the expected ones; no digest occurs twice in a list. Undefined: they are equal, or, if more may
 * follow, equal up to the end of the shorter list.
 *
 * @param isWhole nothing follows the actual digests, so those not among them are missing
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
