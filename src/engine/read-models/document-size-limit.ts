import type { Document } from '../../kernel/record/projection.js';

/**
 * Size limit of a read model's document, in bytes of JSON. It is the same in all stores, so that read models are the
 * same too. MongoDB accepts 16 MB, into which the searchable fields next to the JSON must also fit.
 */
const largest = 6 * 1024 * 1024;
/** Most bytes of a character in JSON, as in `\u0000`. */
const mostBytes = 6;
/** Upper bound, in bytes, for a number, a boolean or punctuation. */
const ordinary = 32;
/**
 * Number of members from which the size of a part is memoised: most large parts are unchanged in the next state of a
 * document. Whole documents are not memoised, because caching a million of them would cost more than measuring them
 * again.
 */
const many = 16;
const remembered = new WeakMap<object, number>();

/** @throws Error if no store could store the document, because it is too large or its id is not well-formed Unicode */
export function mustFitStores(document: Document): void {
  if (!document.id.isWellFormed()) throw new Error('The id of the document is not well-formed Unicode.');
  if (atMostBytes(document) <= largest) return;
  if (Buffer.byteLength(JSON.stringify(document)) <= largest) return;
  throw new Error('The document would be larger than 6 MB, which is the most that one may have.');
}

/** Returns an upper bound of the JSON's size. Far cheaper than serialising, which only large documents need. */
export function atMostBytes(document: Document): number {
  return ofMembers(document, Object.keys(document));
}

function ofPart(value: unknown): number {
  if (typeof value === 'string') return value.length * mostBytes + ordinary;
  if (typeof value !== 'object' || value === null) return ordinary;
  const names = Object.keys(value);
  if (names.length < many) return ofMembers(value, names);
  const known = remembered.get(value);
  if (known !== undefined) return known;
  const bytes = ofMembers(value, names);
  remembered.set(value, bytes);
  return bytes;
}

function ofMembers(value: object, names: readonly string[]): number {
  let bytes = ordinary;
  for (const name of names) {
    bytes += name.length * mostBytes + ofPart((value as Readonly<Record<string, unknown>>)[name]);
  }
  return bytes;
}
