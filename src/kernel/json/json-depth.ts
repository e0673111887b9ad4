/**
 * Deepest nesting of JSON that callers may send. A condition may have 256 nested groups (Sites API, Limits), so it
 * fits. The limit is well below what the stack allows, because deeper JSON can be parsed but perhaps not serialised
 * again.
 */
export const deepestInput = 600;

/** Whether the value nests deeper than `levels`. Never looks deeper itself, so it cannot overflow the stack. */
export function isTooDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  // A list is not passed to Object.values, which would copy it.
  const inside: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const inner of inside) if (typeof inner === 'object' && isTooDeep(inner, levels - 1)) return true;
  return false;
}
