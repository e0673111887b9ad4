/**
 * Keys and texts that mean something to JavaScript, to the driver of MongoDB, to its queries or to a path. It is parsed
 * from a text: only then __proto__ is a key like any other.
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

/** All of them at once. */
export const hostile = (): Json => JSON.parse(text) as Json;

/** What no text may hold: half of a character, and the character U+0000, as keys and in texts. */
export const illFormed = (): Json =>
  JSON.parse('{ "half\\ud800": "\\udc00 and a half", "zero\\u0000": { "\\u0000": "\\u0000a" } }') as Json;

export const hostileKeys: readonly string[] = Object.keys(hostile());

/** The same, keys in their order included. */
export const asText = (value: unknown): string => JSON.stringify(value) ?? 'undefined';
