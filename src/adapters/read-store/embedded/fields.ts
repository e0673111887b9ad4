/** SQL expressions for a field of documents. */
export interface FieldExpression {
  readonly value: string;
  /**
   * Expression for the type of the value (`true`, `false`, `integer`, `real`, `text`, …). Needed because json_extract
   * returns booleans as 1 and 0.
   */
  readonly type: string;
  /** The path as an SQL literal. */
  readonly literal: string;
}

const expressions = new Map<string, FieldExpression>();

/**
 * Returns the expressions for a field path such as `owner.name`. SQLite uses an index only if the query contains the
 * index's exact expression, so this function makes the expressions for both indexes and queries.
 * @throws Error if the path cannot be quoted, because a sort field may come from a request
 */
export function fieldExpression(path: string): FieldExpression {
  const known = expressions.get(path);
  if (known !== undefined) return known;
  if (!/^[^."'\\\p{Cc}]+(\.[^."'\\\p{Cc}]+)*$/u.test(path))
    throw new Error(`Not a field path: ${JSON.stringify(path)}.`);
  const literal = `'$${path
    .split('.')
    .map((key) => `."${key}"`)
    .join('')}'`;
  const value = path === 'id' ? 'id' : `json_extract(doc,${literal})`;
  const made = { value, type: `json_type(doc,${literal})`, literal };
  // The cache is limited, because requests can add entries.
  if (expressions.size < 1000) expressions.set(path, made);
  return made;
}

/**
 * Placeholder of a value in SQL. The value is bound as JSON and parsed by the same parser as the documents. Otherwise
 * the last bit of a number could differ, and a boolean would not equal what json_extract returns.
 */
export const boundValue = "json_extract(?,'$')";
