import type { Document } from '../../kernel/record/projection.js';

/**
 * The largest document of a read model, as JSON in bytes. The same in all stores, so that read models are the same
 * wherever they are kept: MongoDB takes 16 MB, and holds beside the JSON what can be searched.
 */
const largest = 6 * 1024 * 1024;
/** Of a character in JSON, such as `\u0000`. */
const mostBytes = 6;
/** Of anything else, with what stands around it. */
const ordinary = 32;
/**
 * Parts with so many members are remembered: the next state of a document has most of them unchanged. Documents are not:
 * to remember each of a million would cost more than to go through it.
 */
const many = 16;
const remembered = new WeakMap<object, number>();

/** @throws Error when no store can keep it: it is too large, or its id is not well-formed Unicode */
export function mustBeKeepable(document: Document): void {
  if (!document.id.isWellFormed()) throw new Error('The id of the document is not well-formed Unicode.');
  if (atMostBytes(document) <= largest) return;
  if (Buffer.byteLength(JSON.stringify(document)) <= largest) return;
  throw new Error('The document would be larger than 6 MB, which is the most that one may have.');
}

/** No fewer bytes than its JSON has. Far cheaper than making that, which only large documents need. */
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
