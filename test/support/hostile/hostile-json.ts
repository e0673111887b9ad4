/**
 * Keys and texts with a special meaning to JavaScript, to the driver of MongoDB, to its queries or to a path. It has to
 * be parsed from text, because only then is __proto__ an ordinary key.
 */
const text = `{
  "0": "a number",
  "_bsontype": "ObjectId",
  "__proto__": { "isAdmin": true, "_bsontype": 1 },
  "constructor": { "prototype": { "isAdmin": true } },
  "prototype": null,
  "toString": "x",
  "hasOwnProperty": null,
  "toJSON": "x",
  "toBSON": "x",
  "then": "x",
  "$where": "sleep(1)",
  "$set": { "$gt": "" },
  "$ref": "#/a",
  "a.b": { "_bsontype": "Long", ".": [[{ "_bsontype": 7 }]] },
  "": "nothing",
  "%5F%24": "%"
}`;

export interface Json {
  readonly [key: string]: unknown;
}

/** Returns JSON with all of these keys and texts. */
export const hostile = (): Json => JSON.parse(text) as Json;

/** Returns JSON with characters that no text may contain, in keys and in texts: lone surrogates and U+0000. */
export const illFormed = (): Json =>
  JSON.parse('{ "half\\ud800": "\\udc00 and a half", "zero\\u0000": { "\\u0000": "\\u0000a" } }') as Json;

export const hostileKeys: readonly string[] = Object.keys(hostile());

/** Returns the value as text, so that comparisons include the order of keys. */
export const asText = (value: unknown): string => JSON.stringify(value) ?? 'undefined';
