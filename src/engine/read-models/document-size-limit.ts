import type { Document } from '../../kernel/record/projection.js';

/**
 * The largest document of a read model, in bytes of JSON. The limit is the same in all stores, so that read models are
 * too. MongoDB takes 16 MB, which must also fit the searchable fields stored beside the JSON.
 */
const largest = 6 * 1024 * 1024;
/** A character in JSON has at most this many bytes: `\u0000`. */
const mostBytes = 6;
/** Upper bound for a number, a boolean or punctuation. */
const ordinary = 32;
/**
 * Sizes of parts with at least this many members are memoised, because most of them are unchanged in the next state of
 * a document. Whole documents are not: caching a million of them would cost more than measuring them again.
 */
const many = 16;
const remembered = new WeakMap<object, number>();

/** @throws Error when no store could store it: it is too large, or its id is not well-formed Unicode */
export function mustFitStores(document: Document): void {
  if (!document.id.isWellFormed()) throw new Error('The id of the document is not well-formed Unicode.');
  if (atMostBytes(document) <= largest) return;
  if (Buffer.byteLength(JSON.stringify(document)) <= largest) return;
  throw new Error('The document would be larger than 6 MB, which is the most that one may have.');
}

/** An upper bound of the JSON's size. Far cheaper than serialising, which only large documents need. */
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
