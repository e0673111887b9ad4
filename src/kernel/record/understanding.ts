import type { RecordedEvent } from '../event/event.js';
import { isReadable } from '../event/unreadable-event.js';
import type { Document } from './projection.js';

/**
 * The event types that this version of the service knows, by the category of their streams. A version that does not know
 * an event passes over it, unless the event says that it must be understood (`EventMetadata.mustUnderstand`).
 */
const ofKinds = new Map<
  string,
  { readonly types: ReadonlySet<string>; readonly mustUnderstand: ReadonlySet<string> }
>();
/** Types that read models and sagas read. Those of journals are known by this alone. */
const read = new Set<string>();

export function declareKind(category: string, types: readonly string[], mustUnderstand: readonly string[] = []): void {
  ofKinds.set(category, { types: new Set(types), mustUnderstand: new Set(mustUnderstand) });
}

export function declareRead(types: readonly string[]): void {
  for (const type of types) read.add(type);
}

/** Whether a record of this kind declares that whoever does not know this event must not go on without it. */
export function mustBeUnderstood(category: string, type: string): boolean {
  return ofKinds.get(category)?.mustUnderstand.has(type) ?? false;
}

/** Whether the event must be understood and this version does not know its type: only a newer version can go on. */
export function isBeyondThisVersion(event: RecordedEvent): boolean {
  if (!isReadable(event) || event.metadata.mustUnderstand !== true) return false;
  return !knows(event.stream, event.type);
}

/**
 * Whether a record begins with an event that this version does not know. Nobody here can tell what it is, so it must not be
 * taken for one that is not there.
 */
export function beginsBeyondThisVersion({ stream, type, revision }: RecordedEvent): boolean {
  return revision === 0 && ofKinds.has(categoryOf({ stream })) && !knows(stream, type);
}

/** Whether this version knows events of this type in such streams. */
export function knows(stream: string, type: string): boolean {
  const kind = ofKinds.get(categoryOf({ stream }));
  return (kind === undefined ? read : kind.types).has(type);
}

type Marked = Document & { readonly neededTypes?: readonly string[] };

/** The document with a mark of all events of its record that must be understood; `before` may have marks. */
export function withNeeds<D extends Document>(after: D, before: Document | undefined, event: RecordedEvent): D {
  const types = (before as Marked | undefined)?.neededTypes ?? [];
  const { mustUnderstand } = event.metadata;
  if (mustUnderstand !== true) return types.length === 0 ? after : { ...after, neededTypes: types };
  return { ...after, neededTypes: [...new Set([...types, event.type])] };
}

/** A type of an event that the document includes and that this version does not know. */
export function lackingFor(document: Document | undefined, category: string): string | undefined {
  return (document as Marked | undefined)?.neededTypes?.find((type) => !knows(`${category}-`, type));
}

export const hasNeeds = (document: Document): boolean => 'neededTypes' in document;

/** The document as its record's operations know it. */
export function withoutNeeds<D extends Document>(document: D): D {
  if (!hasNeeds(document)) return document;
  const { neededTypes: _, ...rest } = document as D & Marked;
  return rest as unknown as D;
}

/**
 * Whether an event of an unknown type concerns whoever reads these types: they read others of the same kind of record. Of
 * an unknown kind or a journal nobody can tell, so it concerns all who read any events that are of no kind of record.
 */
export function concerns(types: readonly string[], event: Pick<RecordedEvent, 'stream'>): boolean {
  const kind = ofKinds.get(categoryOf(event));
  if (kind !== undefined) return types.some((type) => kind.types.has(type));
  return types.some((type) => ![...ofKinds.values()].some((one) => one.types.has(type)));
}

const categoryOf = ({ stream }: Pick<RecordedEvent, 'stream'>) => stream.slice(0, stream.indexOf('-'));
