import type { Document } from '../../../kernel/record/projection.js';
import { type Copies, copiesOf } from './copies.js';
import { escaped, isKey } from './keys.js';

/** The searchable part of a document: nested objects with strings, numbers and booleans. */
export interface Searchable {
  readonly [key: string]: string | number | boolean | Searchable;
}

/** A document as stored in MongoDB. `text` is the document; `document` is only for queries and indexes. */
export interface Stored {
  readonly _id: string;
  readonly position: number;
  readonly document: Searchable;
  /** What searching and comparing lists and JSON need besides. */
  readonly copies?: Copies;
  /**
   * JSON, because BSON does not return every document unchanged: it cannot store keys with a zero byte, converts
   * objects that look like references, and is limited to a hundred levels.
   */
  readonly text: string;
}

/** In characters of JSON. Rows of tables are always smaller. */
const large = 2_000_000;
const largestPart = 100_000;

/** MongoDB allows a hundred levels. No query uses a field this deep. */
const deepest = 50;

/**
 * The path of a field in `Stored`. Paths are code, but a sort field may come from a request: anything that could be
 * more than a name is refused.
 */
export function place(path: string): string {
  return path === 'id' ? '_id' : placeIn('document', path);
}

/** The path of a copy. */
export const copyPlace = (copy: keyof Copies, path: string): string => placeIn(`copies.${copy}`, path);

function placeIn(member: string, path: string): string {
  const keys = path.split('.');
  if (keys.length > deepest || !keys.every(isKey)) throw new Error(`Not a field path: ${JSON.stringify(path)}.`);
  return [member, ...keys.map(escaped)].join('.');
}

/** @param searchable members whose fields are copied for searching */
export function stored(document: Document, position: number, searchable?: readonly string[]): Stored {
  if (!document.id.isWellFormed()) throw new Error('The id of a document is not well-formed Unicode.');
  const text = JSON.stringify(document);
  // Made from the text, so that queries search what will be read. The id is searched as _id.
  const { id: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
  const copies = searchable && { copies: copiesOf(rest, searchable) };
  const toSearch = text.length > large ? withoutLarge(rest) : rest;
  return { _id: document.id, position, document: queried(toSearch, deepest), ...copies, text };
}

/** Of large documents the large parts are not searched: with them a document could outgrow MongoDB's 16 MB. */
function withoutLarge(fields: Readonly<Record<string, unknown>>): object {
  const kept = Object.entries(fields).map(([name, value]) => {
    const isLarge = typeof value === 'object' && JSON.stringify(value).length > largestPart;
    return [name, isLarge ? {} : value] as const;
  });
  return Object.fromEntries(kept);
}

export const documentOf = ({ text }: Pick<Stored, 'text'>): Document => JSON.parse(text);

/**
 * A text as it is stored to be compared. The driver would write every half of a character as the same sign; with a sign
 * that is none and the number of the half, it equals only its like.
 */
export const comparable = (text: string): string =>
  text.isWellFormed() ? text : text.replaceAll(/\p{Surrogate}/gu, (half) => `\uffff${half.charCodeAt(0).toString(16)}`);

/**
 * Null is left out: absent means the same, and lets a unique index tell it apart. A list becomes an empty object: it is
 * neither null nor a scalar, and MongoDB would search its elements, which queries must not do.
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
