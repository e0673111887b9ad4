/**
 * Decodes a form of the payment processor: `a[b][0]=c` is `{ a: { b: { 0: 'c' } } }`, and members that look like a list
 * become one.
 */
export function formDecoded(text: string): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = [...name.matchAll(/[^[\]]+/g)].map(([part]) => part);
    let at = root;
    for (const part of path.slice(0, -1)) {
      at[part] ??= {};
      at = at[part] as Record<string, unknown>;
    }
    at[path.at(-1) ?? ''] = value;
  }
  return listed(root) as Record<string, unknown>;
}

function listed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  if (entries.length > 0 && entries.every(([key], at) => key === String(at)))
    return entries.map(([, one]) => listed(one));
  return Object.fromEntries(entries.map(([key, one]) => [key, listed(one)]));
}
