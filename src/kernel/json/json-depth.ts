/**
 * Maximum nesting of JSON from outside. It is enough for a condition with 256 nested groups (Sites API, Limits), and
 * well below what the stack allows. JSON near the limit of the stack can be parsed but perhaps not serialised again.
 */
export const deepestInput = 600;

/** Examines no more than `levels` levels, so it cannot overflow the stack. */
export function isTooDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  // A list is used as it is, because Object.values would copy it.
  const inside: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const inner of inside) if (typeof inner === 'object' && isTooDeep(inner, levels - 1)) return true;
  return false;
}
