import type { Document } from '../../../kernel/projection.js';

/** What of a document can be searched: objects in objects, and in them texts, numbers and truths. */
export interface Searchable {
  readonly [key: string]: string | number | boolean | Searchable;
}

/** One document as MongoDB holds it. `text` is the document, `document` only what queries and indexes look at. */
export interface Stored {
  readonly _id: string;
  readonly position: number;
  readonly document: Searchable;
  /**
   * JSON. BSON would not give every document back as it was: it knows no keys with a zero byte, turns objects that
   * look like references into something else, and ends at a hundred levels.
   */
  readonly text: string;
}

/** MongoDB nests a hundred levels; nobody asks for a field this deep. */
const deepest = 50;
/** What can stand in a field path, and so in the searchable copy. */
const key = /^[^."'\\\p{Cc}]+$/u;

/**
 * The path of a field in `Stored`. Paths are code, but a sort field may have come from a request: what could mean
 * something else than a name is refused.
 */
export function place(path: string): string {
  if (path === 'id') return '_id';
  const keys = path.split('.');
  if (keys.length > deepest || !keys.every((one) => key.test(one))) {
    throw new Error(`Not a field path: ${JSON.stringify(path)}.`);
  }
  return ['document', ...keys.map(escaped)].join('.');
}

export function stored(document: Document, position: number): Stored {
  const text = JSON.stringify(document);
  // From the text, so that what is searched is what will be read. The id is searched as _id.
  const { id: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
  return { _id: document.id, position, document: searchable(rest, deepest), text };
}

export const documentOf = ({ text }: Pick<Stored, 'text'>): Document => JSON.parse(text);

/**
 * Null is left out, because absent means the same and a unique index can then tell it. A list stays as an empty
 * object: it is not null, it is no scalar, and MongoDB would search its elements, which is not asked for here.
 */
function searchable(object: object, depth: number): Searchable {
  const entries = Object.entries(object)
    .filter(([name, value]) => value !== null && key.test(name))
    .map(([name, value]) => [escaped(name), searchableValue(value, depth - 1)] as const);
  return Object.fromEntries(entries);
}

function searchableValue(value: unknown, depth: number): Searchable[string] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return typeof value === 'object' && value !== null && !Array.isArray(value) && depth > 0
    ? searchable(value, depth)
    : {};
}

/** A name with a dollar could be taken for an operator or a variable. */
function escaped(name: string): string {
  return name.replaceAll('%', '%25').replaceAll('$', '%24');
}
