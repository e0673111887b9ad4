import { calculateObjectSize } from 'bson';
import { compare, valueAt } from './order.js';
import { badValue, Refusal } from './refusal.js';
import type { Fields } from './wire.js';

const largestDocument = 16 * 1024 * 1024;
const deepest = 100;

export const isReplacement = (update: Fields): boolean => !Object.keys(update)[0]?.startsWith('$');

/** Returns the document after an update, which is a replacement or a set of operators. */
export function changed(before: Fields, update: Fields, inserts: boolean): Fields {
  if (isReplacement(update)) {
    if ('_id' in update && compare(update['_id'], before['_id']) !== 0) {
      throw new Refusal(66, 'ImmutableField', "the (immutable) field '_id' was found to have been altered");
    }
    return checked({ _id: before['_id'], ...update });
  }
  const after = structuredCopy(before);
  for (const [operator, changes] of Object.entries(update)) {
    for (const [path, value] of Object.entries(changes as Fields)) apply(after, operator, path, value, inserts);
  }
  return checked(after);
}

function apply(document: Fields, operator: string, path: string, value: unknown, inserts: boolean): void {
  switch (operator) {
    case '$set':
      setAt(document, path, value);
      break;
    case '$setOnInsert':
      if (inserts) setAt(document, path, value);
      break;
    case '$unset':
      unsetAt(document, path);
      break;
    case '$addToSet': {
      const held = (valueAt(document, path) ?? []) as readonly unknown[];
      const added = typeof value === 'object' && value !== null && '$each' in value ? value.$each : [value];
      const missing = (added as readonly unknown[]).filter((one) => !held.some((other) => compare(one, other) === 0));
      setAt(document, path, [...held, ...missing]);
      break;
    }
    default:
      throw new Refusal(9, 'FailedToParse', `Unknown modifier: ${operator}.`);
  }
}

function setAt(document: Fields, path: string, value: unknown): void {
  const keys = keysOf(path);
  let inner = document;
  for (const key of keys.slice(0, -1)) {
    inner[key] ??= {};
    inner = inner[key] as Fields;
    if (typeof inner !== 'object') throw new Refusal(28, 'PathNotViable', `Cannot create field in element ${key}.`);
  }
  inner[keys.at(-1) ?? ''] = value;
}

function unsetAt(document: Fields, path: string): void {
  const keys = keysOf(path);
  const inner = keys.length === 1 ? document : valueAt(document, keys.slice(0, -1).join('.'));
  if (typeof inner === 'object' && inner !== null) delete (inner as Fields)[keys.at(-1) ?? ''];
}

function keysOf(path: string): readonly string[] {
  const keys = path.split('.');
  if (keys.includes('')) throw new Refusal(56, 'EmptyFieldName', `The update path '${path}' has an empty field name.`);
  if (keys.some((key) => key.startsWith('$'))) {
    throw new Refusal(52, 'DollarPrefixedFieldName', `The dollar ($) prefixed field in '${path}' is not allowed.`);
  }
  return keys;
}

/** Checks a document for what MongoDB would not store. */
export function checked(document: Fields): Fields {
  const dollar = Object.keys(document).find((key) => key.startsWith('$'));
  if (dollar !== undefined) {
    throw new Refusal(52, 'DollarPrefixedFieldName', `The dollar ($) prefixed field '${dollar}' is not allowed.`);
  }
  if (Array.isArray(document['_id'])) throw badValue("The '_id' value cannot be of type array");
  if (depthOf(document) > deepest) throw new Refusal(15, 'Overflow', 'The document is nested too deeply.');
  const size = calculateObjectSize(document);
  if (size > largestDocument) throw new Refusal(10334, 'BSONObjectTooLarge', `BSONObj size: ${size} is invalid.`);
  return document;
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return 0;
  return 1 + Object.values(value).reduce<number>((most, inner) => Math.max(most, depthOf(inner)), 0);
}

/** Copies objects and lists at every depth. Other values are shared. */
function structuredCopy<T>(value: T): T {
  if (Array.isArray(value)) return value.map(structuredCopy) as T;
  if (typeof value !== 'object' || value === null || value instanceof Date || '_bsontype' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, structuredCopy(inner)])) as T;
}
