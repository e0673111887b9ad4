import type { Recorded, RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import type { Matchable } from './event-filter.js';
import { type EventTrigger, type EventTriggerEvent, eventTriggers } from './event-trigger.record.js';
import { TriggerIndex } from './trigger-index.js';

export type MatchingTriggers = Pick<TriggerIndex, 'asksFor' | 'matching'>;

interface Changed {
  readonly position: number;
  readonly id: string;
  readonly before: EventTrigger | undefined;
}

const mostChanges = 1_000;

/** The triggers of a workspace as of the latest position, or as of an earlier one, up to 1,000 changes back. */
export class WorkspaceTriggers {
  readonly latest = new TriggerIndex();
  private readonly changes: Changed[] = [];
  private upTo: number;

  constructor(
    triggers: readonly EventTrigger[],
    private since: number,
  ) {
    for (const trigger of triggers) this.latest.set(trigger);
    this.upTo = since;
  }

  /**
   * Events that were applied before have no effect.
   * @throws Error if the trigger cannot apply the event
   */
  apply(event: RecordedEvent): void {
    const { position } = event;
    if (position <= this.upTo) return;
    const { id } = parseStream(event.stream);
    const before = this.latest.get(id);
    const next = eventTriggers.evolve(before, event as unknown as Recorded<EventTriggerEvent>);
    if (next === undefined) this.latest.delete(id);
    else this.latest.set(next);
    this.upTo = position;
    this.changes.push({ position, id, before });
    const forgotten = this.changes.length > mostChanges ? this.changes.shift() : undefined;
    if (forgotten !== undefined) this.since = forgotten.position;
  }

  /**
   * Undefined if too many changes have followed the position. Every event up to this position must have been applied.
   */
  asOf(position: number): MatchingTriggers | undefined {
    if (position < this.since) return undefined;
    if (position >= this.upTo) return this.latest;
    const later = this.changes.filter((change) => change.position > position);
    return later.length === 0 ? this.latest : withoutChanges(this.latest, later);
  }
}

function withoutChanges(latest: TriggerIndex, later: readonly Changed[]): MatchingTriggers {
  const former = new TriggerIndex();
  const changed = new Set<string>();
  for (const { id, before } of later) {
    if (!changed.has(id) && before !== undefined) former.set(before);
    changed.add(id);
  }
  return {
    // Can also be true because of a pattern that a trigger got only after the position. `matching` then omits this
    // trigger.
    asksFor: (name) => latest.asksFor(name) || former.asksFor(name),
    matching: (event: Matchable) =>
      [...latest.matching(event).filter(({ id }) => !changed.has(id)), ...former.matching(event)].sort((a, b) =>
        a.id < b.id ? -1 : 1,
      ),
  };
}
