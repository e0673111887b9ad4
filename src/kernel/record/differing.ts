import { isDeepStrictEqual } from 'node:util';

/** The fields of a record that a caller sent. Undefined is treated as not sent. */
export type Sent<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };

/** Returns the sent fields that differ from the current ones, compared by value, or undefined if none does. */
export function differing<Fields extends object>(now: Fields, sent: Sent<Fields>): Partial<Fields> | undefined {
  const differs = Object.entries(sent).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(value, now[name as keyof Fields]),
  );
  return differs.length === 0 ? undefined : (Object.fromEntries(differs) as Partial<Fields>);
}
