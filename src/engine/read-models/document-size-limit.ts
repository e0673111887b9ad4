import type { Document } from '../../kernel/record/projection.js';

/**
 * The limit, in bytes of JSON, is the same for all stores, so that their read models do not differ. MongoDB accepts
 * documents of up to 16 MB, which must also have room for the searchable fields.
 */
const largest = 6 * 1024 * 1024;
const mostBytes = 6;
const ordinary = 32;
/**
 * Sizes of nested objects with at least this many members are cached, because an updated document usually contains the
 * same objects. Sizes of whole documents are not cached: for a million documents, that would cost more than measuring
 * them again.
 */
const many = 16;
const remembered = new WeakMap<object, number>();

/** @throws Error if the document is too large for a store or its id is not well-formed Unicode */
export function mustFitStores(document: Document): void {
  if (!document.id.isWellFormed()) throw new Error('The id of the document is not well-formed Unicode.');
  if (atMostBytes(document) <= largest) return;
  if (Buffer.byteLength(JSON.stringify(document)) <= largest) return;
  throw new Error('The document would be larger than 6 MB, which is the most that one may have.');
}

/**
 * Returns an upper bound of the size. This is far cheaper than serialising, which is needed only if the bound exceeds
 * the limit.
 */
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
