import type { RecordedEvent } from '../event/event.js';
import { isReadable } from '../event/unreadable-event.js';
import type { Document } from './projection.js';

/**
 * The event types of records that this version of the service knows, by stream category. A version skips events of
 * other types, unless the event must be understood (`EventMetadata.mustUnderstand`).
 */
const ofKinds = new Map<
  string,
  { readonly types: ReadonlySet<string>; readonly mustUnderstand: ReadonlySet<string> }
>();
/**
 * Event types that a read model or saga reads. Journals do not declare their event types, so an event of a journal is
 * known if its type is in this set.
 */
const read = new Set<string>();

export function declareKind(category: string, types: readonly string[], mustUnderstand: readonly string[] = []): void {
  ofKinds.set(category, { types: new Set(types), mustUnderstand: new Set(mustUnderstand) });
}

export function declareRead(types: readonly string[]): void {
  for (const type of types) read.add(type);
}

export function mustBeUnderstood(category: string, type: string): boolean {
  return ofKinds.get(category)?.mustUnderstand.has(type) ?? false;
}

/**
 * Whether only a newer version can handle the event: it is readable and must be understood, but this version does not
 * know its type.
 */
export function isBeyondThisVersion(event: RecordedEvent): boolean {
  if (!isReadable(event) || event.metadata.mustUnderstand !== true) return false;
  return !knows(event.stream, event.type);
}

/**
 * Whether the event is the first of a stream of a known kind of record, but has a type that this version does not know.
 * The record must then not be treated as missing.
 */
export function beginsBeyondThisVersion({ stream, type, revision }: RecordedEvent): boolean {
  return revision === 0 && ofKinds.has(categoryOf({ stream })) && !knows(stream, type);
}

export function knows(stream: string, type: string): boolean {
  const kind = ofKinds.get(categoryOf({ stream }));
  return (kind === undefined ? read : kind.types).has(type);
}

type Marked = Document & { readonly neededTypes?: readonly string[] };

export function withNeeds<D extends Document>(after: D, before: Document | undefined, event: RecordedEvent): D {
  const types = (before as Marked | undefined)?.neededTypes ?? [];
  const { mustUnderstand } = event.metadata;
  if (mustUnderstand !== true) return types.length === 0 ? after : { ...after, neededTypes: types };
  return { ...after, neededTypes: [...new Set([...types, event.type])] };
}

export function lackingFor(document: Document | undefined, category: string): string | undefined {
  return (document as Marked | undefined)?.neededTypes?.find((type) => !knows(`${category}-`, type));
}

export const hasNeeds = (document: Document): boolean => 'neededTypes' in document;

export function withoutNeeds<D extends Document>(document: D): D {
  if (!hasNeeds(document)) return document;
  const { neededTypes: _, ...rest } = document as D & Marked;
  return rest as unknown as D;
}

/**
 * Whether an event of a type that this version does not know may concern a reader of `types`. For a stream of a known
 * kind of record, returns true if `types` contains any type of that kind. For other streams, such as journals, returns
 * true if `types` contains any type that belongs to no known kind.
 */
export function concerns(types: readonly string[], event: Pick<RecordedEvent, 'stream'>): boolean {
  const kind = ofKinds.get(categoryOf(event));
  if (kind !== undefined) return types.some((type) => kind.types.has(type));
  return types.some((type) => ![...ofKinds.values()].some((one) => one.types.has(type)));
}

const categoryOf = ({ stream }: Pick<RecordedEvent, 'stream'>) => stream.slice(0, stream.indexOf('-'));
