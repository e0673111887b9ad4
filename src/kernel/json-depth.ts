/**
 * What comes from outside nests no deeper: a condition may nest 256 groups (Sites API, Limits), which stand a little below
 * the top. It is shallower than any stack: what is deeper can be read, and not be written again.
 */
export const deepestInput = 600;

/** Looks no deeper than it has to, so it cannot run out of stack itself. */
export function isTooDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  // A long list is not copied first.
  const inside: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const inner of inside) if (typeof inner === 'object' && isTooDeep(inner, levels - 1)) return true;
  return false;
}
