/** A place in a table of documents, as SQL. */
export interface Place {
  readonly value: string;
  /** `true`, `false`, `integer`, `real`, `text`, …: json_extract makes 1 and 0 of booleans and cannot tell. */
  readonly type: string;
}

const places = new Map<string, Place>();

/**
 * The expression for a field path such as `owner.name`. An index is used only where a query has its exact text, so
 * both come from here. Paths are code, but a sort field may have come from a request: what cannot be quoted is refused.
 */
export function place(path: string): Place {
  const known = places.get(path);
  if (known !== undefined) return known;
  if (!/^[^."'\\\p{Cc}]+(\.[^."'\\\p{Cc}]+)*$/u.test(path))
    throw new Error(`Not a field path: ${JSON.stringify(path)}.`);
  const literal = `'$${path
    .split('.')
    .map((key) => `."${key}"`)
    .join('')}'`;
  const made = { value: path === 'id' ? 'id' : `json_extract(doc,${literal})`, type: `json_type(doc,${literal})` };
  // Bounded like everything that requests can make grow.
  if (places.size < 1000) places.set(path, made);
  return made;
}

/**
 * A bound value. It goes through the same reader as the documents, because the two ways of reading a number do not
 * always give the same last bit; and a boolean becomes what json_extract makes of one.
 */
export const bound = "json_extract(?,'$')";
