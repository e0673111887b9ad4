import { isDeepStrictEqual } from 'node:util';

/** Undefined is treated as not sent. */
export type Sent<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };

/** Compares by value. Returns undefined if no sent field differs. */
export function differing<Fields extends object>(now: Fields, sent: Sent<Fields>): Partial<Fields> | undefined {
  const differs = Object.entries(sent).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(value, now[name as keyof Fields]),
  );
  return differs.length === 0 ? undefined : (Object.fromEntries(differs) as Partial<Fields>);
}
