/** A field of documents as SQL expressions. */
export interface FieldExpression {
  readonly value: string;
  /**
   * The type (`true`, `false`, `integer`, `real`, `text`, …), needed because json_extract turns booleans into 1 and 0.
   */
  readonly type: string;
  /** The path as an SQL literal. */
  readonly literal: string;
}

const places = new Map<string, FieldExpression>();

/**
 * Returns the expression for a field path such as `owner.name`. SQLite uses an index only if a query has its exact
 * text, so the texts for both are generated here. Paths come from code, but a sort field may come from a request, so a
 * path that cannot be quoted is refused.
 */
export function place(path: string): FieldExpression {
  const known = places.get(path);
  if (known !== undefined) return known;
  if (!/^[^."'\\\p{Cc}]+(\.[^."'\\\p{Cc}]+)*$/u.test(path))
    throw new Error(`Not a field path: ${JSON.stringify(path)}.`);
  const literal = `'$${path
    .split('.')
    .map((key) => `."${key}"`)
    .join('')}'`;
  const value = path === 'id' ? 'id' : `json_extract(doc,${literal})`;
  const made = { value, type: `json_type(doc,${literal})`, literal };
  // Limited, because requests can add entries.
  if (places.size < 1000) places.set(path, made);
  return made;
}

/**
 * Placeholder of a value. The value passes through the same JSON parser as the documents, because two ways of parsing a
 * number may differ in the last bit, and because a boolean must become what json_extract returns.
 */
export const boundValue = "json_extract(?,'$')";
