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
  return ofMembers(document);
}

function ofPart(part: unknown): number {
  if (typeof part === 'string') return part.length * mostBytes + ordinary;
  if (typeof part !== 'object' || part === null) return ordinary;
  if (!hasMany(part)) return ofMembers(part);
  const known = remembered.get(part);
  if (known !== undefined) return known;
  const bytes = ofMembers(part);
  remembered.set(part, bytes);
  return bytes;
}

function hasMany(part: object): boolean {
  if (Array.isArray(part)) return part.length >= many;
  let members = 0;
  for (const _ in part) if (++members === many) return true;
  return false;
}

/** Does not use `Object.keys`, because an array of names for each change would be much garbage. */
function ofMembers(part: object): number {
  let bytes = ordinary;
  if (Array.isArray(part)) {
    for (const member of part) bytes += ordinary + ofPart(member);
    return bytes;
  }
  for (const name in part) {
    bytes += name.length * mostBytes + ofPart((part as Readonly<Record<string, unknown>>)[name]);
  }
  return bytes;
}
