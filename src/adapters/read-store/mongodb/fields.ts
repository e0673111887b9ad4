import type { Document } from '../../../kernel/record/projection.js';
import { type Copies, copiesOf } from './copies.js';
import { escaped, isKey } from './keys.js';

export interface Searchable {
  readonly [key: string]: string | number | boolean | Searchable;
}

/** `text` is the whole document; `document` is only for queries and indexes. */
export interface Stored {
  readonly _id: string;
  readonly position: number;
  readonly document: Searchable;
  readonly copies?: Copies;
  /**
   * JSON, because BSON cannot have keys with a zero byte, changes objects that look like references, and allows at most
   * a hundred levels.
   */
  readonly text: string;
}

/**
 * Length of a document, in characters of JSON, above which `document` omits the content of large members. Rows of
 * customers' tables are always smaller.
 */
const large = 2_000_000;
const largestPart = 100_000;

/** Maximum number of levels of `document`, and of keys in a path. MongoDB allows a hundred levels. */
const deepest = 50;

/** @throws Error if the path has unusual characters, because a sort field can come from a request */
export function fieldPath(path: string): string {
  return path === 'id' ? '_id' : pathIn('document', path);
}

export const copyPath = (copy: keyof Copies, path: string): string => pathIn(`copies.${copy}`, path);

function pathIn(member: string, path: string): string {
  const keys = path.split('.');
  if (keys.length > deepest || !keys.every(isKey)) throw new Error(`Invalid field path: ${JSON.stringify(path)}.`);
  return [member, ...keys.map(escaped)].join('.');
}

/**
 * @param searchable document members whose values get copies for searching
 * @throws Error if the id is not well-formed Unicode
 */
export function stored(document: Document, position: number, searchable?: readonly string[]): Stored {
  if (!document.id.isWellFormed()) throw new Error('The id of a document is not well-formed Unicode.');
  const text = JSON.stringify(document);
  const { id: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
  const copies = searchable && { copies: copiesOf(rest, searchable) };
  const toSearch = text.length > large ? withoutLarge(rest) : rest;
  return { _id: document.id, position, document: queried(toSearch, deepest), ...copies, text };
}

/** Empties large members, because otherwise the stored document could exceed MongoDB's limit of 16 MB. */
function withoutLarge(fields: Readonly<Record<string, unknown>>): object {
  const small = Object.entries(fields).map(([name, value]) => {
    const isLarge = typeof value === 'object' && JSON.stringify(value).length > largestPart;
    return [name, isLarge ? {} : value] as const;
  });
  return Object.fromEntries(small);
}

export const storedDocument = ({ text }: Pick<Stored, 'text'>): Document => JSON.parse(text);

/**
 * The driver would write all lone surrogates as the same character, so each is replaced by a non-character and the
 * surrogate's number.
 */
export const comparable = (text: string): string =>
  text.isWellFormed() ? text : text.replaceAll(/\p{Surrogate}/gu, (half) => `\uffff${half.charCodeAt(0).toString(16)}`);

/**
 * Null is omitted, because it means the same as an absent field, and a unique index ignores absent fields. A list
 * becomes an empty object, because MongoDB would otherwise match the list's elements.
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
