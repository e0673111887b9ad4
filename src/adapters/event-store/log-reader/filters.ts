import type { RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import { isReadable } from '../../../kernel/event/unreadable-event.js';
import type { EventFilter } from '../../../ports/event-store.port.js';

/**
 * The result passes every event that one of the filters passes, and can pass others. If the filters restrict different
 * fields, it passes the whole log, because an event must match all fields of a filter.
 */
export function unionOf(filters: readonly EventFilter[]): EventFilter {
  const [first, ...rest] = filters;
  if (first === undefined || rest.length === 0) return first ?? {};
  const types = joined(filters.map((filter) => filter.types));
  const categories = joined(filters.map((filter) => filter.categories));
  const { workspaceId } = first;
  const andMustUnderstand = filters.some((filter) => filter.andMustUnderstand);
  return {
    ...(types === undefined ? {} : { types }),
    ...(types !== undefined && andMustUnderstand ? { andMustUnderstand } : {}),
    ...(categories === undefined ? {} : { categories }),
    ...(workspaceId === undefined || rest.some((filter) => filter.workspaceId !== workspaceId) ? {} : { workspaceId }),
  };
}

/** True only if `wide` passes every event that `narrow` passes. */
export function includes(wide: EventFilter, narrow: EventFilter): boolean {
  return (
    (wide.types === undefined ||
      ((narrow.types?.every((type) => wide.types?.includes(type)) ?? false) &&
        (wide.andMustUnderstand === true || narrow.andMustUnderstand !== true))) &&
    (wide.categories === undefined || (narrow.categories?.every((name) => wide.categories?.includes(name)) ?? false)) &&
    (wide.workspaceId === undefined || wide.workspaceId === narrow.workspaceId)
  );
}

function joined(lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const all = new Set<string>();
  for (const list of lists) {
    if (list === undefined) return undefined;
    for (const value of list) all.add(value);
  }
  return [...all];
}

export interface Filtered {
  readonly filter: EventFilter;
}

/**
 * Indexes the members by their filters, because matching each event against dozens of filters would be the highest cost
 * of delivering it.
 */
export class EventFollowers<Member extends Filtered> {
  private readonly members = new Set<Member>();
  private readonly byType = new Map<string, Set<Member>>();
  private readonly byCategory = new Map<string, Set<Member>>();
  private readonly byWorkspace = new Map<string, Set<Member>>();
  private readonly unfiltered = new Set<Member>();
  private readonly understanding = new Set<Member>();

  constructor(members: Iterable<Member> = []) {
    for (const member of members) this.add(member);
  }

  get size(): number {
    return this.members.size;
  }

  [Symbol.iterator](): IterableIterator<Member> {
    return this.members.values();
  }

  add(member: Member): void {
    this.members.add(member);
    for (const slot of this.setsOf(member)) slot.add(member);
  }

  delete(member: Member): boolean {
    for (const slot of this.setsOf(member)) slot.delete(member);
    return this.members.delete(member);
  }

  each(event: RecordedEvent, wants: (member: Member) => void): void {
    const { category, workspaceId } = parseStream(event.stream);
    for (const candidates of [
      this.byType.get(event.type),
      this.byCategory.get(category),
      this.byWorkspace.get(workspaceId),
      this.unfiltered,
      isMustUnderstand(event) ? this.understanding : undefined,
    ]) {
      if (candidates === undefined) continue;
      for (const member of candidates) {
        const { filter } = member;
        if (candidates === this.understanding && filter.types?.includes(event.type)) continue;
        if (filter.workspaceId !== undefined && filter.workspaceId !== workspaceId) continue;
        if (filter.categories !== undefined && !filter.categories.includes(category)) continue;
        wants(member);
      }
    }
  }

  private setsOf({ filter: { types, andMustUnderstand, categories, workspaceId } }: Member): readonly Set<Member>[] {
    if (types !== undefined) {
      const index = types.map((type) => setIn(this.byType, type));
      return andMustUnderstand ? [...index, this.understanding] : index;
    }
    if (workspaceId !== undefined) return [setIn(this.byWorkspace, workspaceId)];
    if (categories !== undefined) return categories.map((category) => setIn(this.byCategory, category));
    return [this.unfiltered];
  }
}

export function isMustUnderstand(event: RecordedEvent): boolean {
  return isReadable(event) && event.metadata.mustUnderstand === true;
}

function setIn<Member>(index: Map<string, Set<Member>>, key: string): Set<Member> {
  const known = index.get(key);
  if (known !== undefined) return known;
  const made = new Set<Member>();
  index.set(key, made);
  return made;
}
