/**
 * The one JSON text of a value: the JSON Canonicalization Scheme (RFC 8785). No spaces, members sorted by the UTF-16 units
 * of their names, numbers and strings as ECMAScript writes them. Unpaired surrogates, which the RFC forbids, are written
 * as escapes (\ud800), so that every recorded value has a text.
 *
 * The value has to come from JSON. Members that are undefined are left out, as JSON does.
 * @throws RangeError for what nests deeper than the stack
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const members = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const name of Object.keys(members).sort()) {
    if (members[name] === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(members[name])}`;
  }
  return `{${text}}`;
}
