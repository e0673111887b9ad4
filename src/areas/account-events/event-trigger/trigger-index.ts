import type { ConditionScalar } from '../../../kernel/condition/operators.js';
import { allMatch, type CompiledFilter, compile, fieldValue, type Matchable } from './event-filter.js';
import { patternsOf } from './event-pattern.js';
import type { EventTrigger } from './event-trigger.record.js';

interface Entry {
  readonly trigger: EventTrigger;
  readonly filters: readonly CompiledFilter[];
  readonly slot: IndexKey;
}

/**
 * Values of a filter by which an entry is indexed. If undefined, the entry is checked for every event that matches its
 * pattern.
 */
type IndexKey = { readonly field: string; readonly values: readonly ConditionScalar[] } | undefined;

interface Bucket {
  readonly plain: Set<Entry>;
  readonly byField: Map<string, Map<unknown, Set<Entry>>>;
}

/**
 * Indexed by pattern and, if possible, by the values of one filter, so that matching an event does not check all
 * triggers.
 */
export class TriggerIndex {
  private readonly entries = new Map<string, Entry | EventTrigger>();
  private readonly buckets = new Map<string, Bucket>();

  get size(): number {
    return this.entries.size;
  }

  get(id: string): EventTrigger | undefined {
    const entry = this.entries.get(id);
    return entry !== undefined && 'trigger' in entry ? entry.trigger : entry;
  }

  set(trigger: EventTrigger): void {
    this.delete(trigger.id);
    if (!trigger.isActive) {
      this.entries.set(trigger.id, trigger);
      return;
    }
    const filters = trigger.filters.map(compile);
    const entry: Entry = { trigger, filters, slot: keyFor(filters) };
    this.entries.set(trigger.id, entry);
    for (const found of this.setsOf(entry)) found.add(entry);
  }

  delete(id: string): void {
    const entry = this.entries.get(id);
    this.entries.delete(id);
    if (entry === undefined || !('trigger' in entry)) return;
    for (const found of this.setsOf(entry)) found.delete(entry);
    this.tidy(entry);
  }

  /** Whether a trigger's pattern matches the name. Filters are ignored. */
  asksFor(name: string): boolean {
    return patternsOf(name).some((pattern) => this.buckets.has(pattern));
  }

  /** Sorted by id. */
  matching(event: Matchable): readonly EventTrigger[] {
    const found = new Map<string, EventTrigger>();
    for (const { trigger, filters } of this.candidates(event)) {
      if (!found.has(trigger.id) && allMatch(filters, event)) found.set(trigger.id, trigger);
    }
    return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  private *candidates(event: Matchable): Iterable<Entry> {
    for (const pattern of patternsOf(event.name)) {
      const bucket = this.buckets.get(pattern);
      if (bucket === undefined) continue;
      yield* bucket.plain;
      for (const [field, byValue] of bucket.byField) {
        const value = fieldValue(event, field);
        // A filter matches a list if it matches one of the list's elements.
        for (const one of Array.isArray(value) ? new Set<unknown>(value) : [value]) yield* byValue.get(one) ?? [];
      }
    }
  }

  private setsOf({ trigger, slot }: Entry): readonly Set<Entry>[] {
    const bucket = made(this.buckets, trigger.event, newBucket);
    if (slot === undefined) return [bucket.plain];
    const byValue = made(bucket.byField, slot.field, () => new Map<unknown, Set<Entry>>());
    return slot.values.map((value) => made(byValue, value, () => new Set<Entry>()));
  }

  private tidy({ trigger, slot }: Entry): void {
    const bucket = this.buckets.get(trigger.event);
    if (bucket === undefined) return;
    const byValue = slot && bucket.byField.get(slot.field);
    for (const value of slot?.values ?? []) if (byValue?.get(value)?.size === 0) byValue.delete(value);
    if (slot !== undefined && byValue?.size === 0) bucket.byField.delete(slot.field);
    if (bucket.plain.size === 0 && bucket.byField.size === 0) this.buckets.delete(trigger.event);
  }
}

const newBucket = (): Bucket => ({ plain: new Set(), byField: new Map() });

function made<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = make();
  map.set(key, value);
  return value;
}

/** Chooses a filter for the index. Filters with dates are excluded, because different texts can be the same date. */
function keyFor(filters: readonly CompiledFilter[]): IndexKey {
  const usable = filters.filter(({ op, operand }) => {
    if (op !== 'eq' && op !== 'in') return false;
    return operand.several === undefined ? operand.instant === undefined : operand.several.instants.size === 0;
  });
  const chosen = usable.find(({ operand }) => operand.several === undefined) ?? usable[0];
  if (chosen === undefined) return undefined;
  const { field, operand } = chosen;
  const values = operand.several === undefined ? [operand.single] : [...operand.several.choices];
  return { field, values: values as readonly ConditionScalar[] };
}
