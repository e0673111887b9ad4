/**
 * JSON text that is the same for the same value, whoever writes it: the JSON Canonicalization Scheme (RFC 8785). No
 * space, members sorted by the UTF-16 units of their names, numbers and strings as ECMAScript writes them. Half a
 * surrogate pair, which the RFC forbids, is written as an escape (\ud800), so that every value that can be recorded has a text.
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
