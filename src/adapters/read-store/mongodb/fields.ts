import type { Document } from '../../../kernel/record/projection.js';
import { type Copies, copiesOf } from './copies.js';
import { escaped, isKey } from './keys.js';

/** The searchable part of a document: nested objects with strings, numbers and booleans. */
export interface Searchable {
  readonly [key: string]: string | number | boolean | Searchable;
}

/** A document as stored in MongoDB. `text` is the whole document; `document` is only for queries and indexes. */
export interface Stored {
  readonly _id: string;
  readonly position: number;
  readonly document: Searchable;
  /** Additional copies for searching and for comparing lists and JSON. */
  readonly copies?: Copies;
  /**
   * The document as JSON, because BSON does not preserve every document: it cannot store keys with a zero byte,
   * converts objects that look like references, and is limited to a hundred levels.
   */
  readonly text: string;
}

/** In characters of JSON. Rows of customers' tables are always smaller. */
const large = 2_000_000;
const largestPart = 100_000;

/** MongoDB allows a hundred levels. No query uses a field this deep. */
const deepest = 50;

/**
 * Returns the path of a field in `Stored`. Paths come from code, but a sort field may come from a request, so anything
 * that is not clearly a name is refused.
 */
export function place(path: string): string {
  return path === 'id' ? '_id' : placeIn('document', path);
}

/** Returns the path of a copy. */
export const copyPlace = (copy: keyof Copies, path: string): string => placeIn(`copies.${copy}`, path);

function placeIn(member: string, path: string): string {
  const keys = path.split('.');
  if (keys.length > deepest || !keys.every(isKey)) throw new Error(`Not a field path: ${JSON.stringify(path)}.`);
  return [member, ...keys.map(escaped)].join('.');
}

/** @param searchable members with search copies of their fields */
export function stored(document: Document, position: number, searchable?: readonly string[]): Stored {
  if (!document.id.isWellFormed()) throw new Error('The id of a document is not well-formed Unicode.');
  const text = JSON.stringify(document);
  // Parsed from the text, so that queries search the same values that are read. The id is searched as _id.
  const { id: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
  const copies = searchable && { copies: copiesOf(rest, searchable) };
  const toSearch = text.length > large ? withoutLarge(rest) : rest;
  return { _id: document.id, position, document: queried(toSearch, deepest), ...copies, text };
}

/**
 * Removes large parts of large documents, which are not searchable. With them, a document could exceed MongoDB's 16 MB.
 */
function withoutLarge(fields: Readonly<Record<string, unknown>>): object {
  const small = Object.entries(fields).map(([name, value]) => {
    const isLarge = typeof value === 'object' && JSON.stringify(value).length > largestPart;
    return [name, isLarge ? {} : value] as const;
  });
  return Object.fromEntries(small);
}

export const storedDocument = ({ text }: Pick<Stored, 'text'>): Document => JSON.parse(text);

/**
 * Returns a text in comparable form. The driver would write every lone surrogate as the same character. Replaced by a
 * non-character and the surrogate's number, it equals only itself.
 */
export const comparable = (text: string): string =>
  text.isWellFormed() ? text : text.replaceAll(/\p{Surrogate}/gu, (half) => `\uffff${half.charCodeAt(0).toString(16)}`);

/**
 * Returns the queried part of an object. Null is omitted, because absent means the same and a unique index can
 * distinguish it. A list becomes an empty object, which is neither null nor a scalar. MongoDB would search a list's
 * elements, which queries must not do.
 */
function queried(object: object, depth: number): Searchable {
  const entries = Object.entries(object)
    .filter(([name, value]) => value !== null && isKey(name))
    .map(([name, value]) => [escaped(name), queriedValue(value, depth - 1)] as const);
  return Object.fromEntries(entries);
}

function queriedValue(value: unknown, depth: number): Searchable[string] {
  if (typeof value === 'string') return comparable(value);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return typeof value === 'object' && value !== null && !Array.isArray(value) && depth > 0 ? queried(value, depth) : {};
}
