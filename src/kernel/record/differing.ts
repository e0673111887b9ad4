import { isDeepStrictEqual } from 'node:util';

/** The fields of a record that a caller sent; undefined counts as not sent. */
export type Sent<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };

/** The sent fields that differ from the current ones, compared by value; undefined if none does. */
export function differing<Fields extends object>(now: Fields, sent: Sent<Fields>): Partial<Fields> | undefined {
  const differs = Object.entries(sent).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(value, now[name as keyof Fields]),
  );
  return differs.length === 0 ? undefined : (Object.fromEntries(differs) as Partial<Fields>);
}
