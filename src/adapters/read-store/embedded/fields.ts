export interface FieldExpression {
  readonly value: string;
  /**
   * SQL expression for the JSON type of the value (`true`, `false`, `integer`, `real`, `text`, …). Needed because
   * json_extract returns booleans as 1 and 0.
   */
  readonly type: string;
  readonly literal: string;
}

/**
 * Returns the SQL expressions that read a field of a table's documents. SQLite uses an index only if the query contains
 * the index's exact expression, so a table's indexes and queries share one such function.
 * @throws Error if the path cannot be quoted. A path can come from a request, as a sort field
 */
export type Fields = (path: string) => FieldExpression;

const expressions = new Map<string, FieldExpression>();

export const inDocument: Fields = (path) => {
  const known = expressions.get(path);
  if (known !== undefined) return known;
  if (!/^[^."'\\\p{Cc}]+(\.[^."'\\\p{Cc}]+)*$/u.test(path))
    throw new Error(`Invalid field path: ${JSON.stringify(path)}.`);
  const literal = `'$${path
    .split('.')
    .map((key) => `."${key}"`)
    .join('')}'`;
  const value = path === 'id' ? 'id' : `json_extract(doc,${literal})`;
  const made = { value, type: `json_type(doc,${literal})`, literal };
  // The cache is limited, because requests can add entries.
  if (expressions.size < 1000) expressions.set(path, made);
  return made;
};

/** @param columns by field, the SQL name of the field's own column */
export function withColumns(columns: ReadonlyMap<string, string>): Fields {
  return (path) => {
    const expression = inDocument(path);
    const column = columns.get(path);
    return column === undefined ? expression : { ...expression, value: column };
  };
}

/**
 * A value is bound as JSON. Otherwise the last bit of a number could differ, and a boolean would not equal what
 * json_extract returns.
 */
export const boundValue = "json_extract(?,'$')";
