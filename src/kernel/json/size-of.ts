/** Estimates without serialising: texts by their length, everything else as a small constant. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 2;
  for (const [name, member] of Object.entries(value)) size += name.length + 4 + sizeOf(member);
  return size;
}
