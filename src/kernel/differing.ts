import { isDeepStrictEqual } from 'node:util';

/** What a caller sent of a record's fields: what was left out, or is undefined, was not sent. */
export type Sent<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined };

/** Of what was sent, what is not already so; undefined when nothing would change. Compares by value. */
export function differing<Fields extends object>(now: Fields, sent: Sent<Fields>): Partial<Fields> | undefined {
  const differs = Object.entries(sent).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(value, now[name as keyof Fields]),
  );
  return differs.length === 0 ? undefined : (Object.fromEntries(differs) as Partial<Fields>);
}
