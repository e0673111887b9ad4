import { Injectable } from '@nestjs/common';
import type { Recorded, RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import { fold } from '../../../kernel/record/aggregate.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { type EventTrigger, type EventTriggerEvent, eventTriggers } from './event-trigger.record.js';
import { TriggerIndex } from './trigger-index.js';

export const triggerEventTypes = eventTriggers.types;

/** The read model of triggers. */
const readModel = 'eventTriggers';
const page = 1_000;
/** Workspaces whose triggers are in memory at most. */
const mostWorkspaces = 2_000;

interface Known {
  readonly index: TriggerIndex;
  /** Every event up to this position is applied. */
  upTo: number;
}

/** The triggers of workspaces as of one log position, which the owner of this object advances. */
export class TriggerSnapshot {
  private readonly known = new Map<string, Known>();

  constructor(private readonly history: TriggerHistory) {}

  /** Applies an event of a trigger, in log order. Idempotent. */
  apply(event: RecordedEvent): void {
    const { workspaceId, id } = parseStream(event.stream);
    const known = this.known.get(workspaceId);
    if (known === undefined || event.position <= known.upTo) return;
    try {
      const next = eventTriggers.evolve(known.index.get(id), event as unknown as Recorded<EventTriggerEvent>);
      if (next === undefined) known.index.delete(id);
      else known.index.set(next);
      known.upTo = event.position;
    } catch {
      // The read model quarantines the trigger and says so in the log. The workspace's triggers are reloaded from it.
      this.known.delete(workspaceId);
    }
  }

  /**
   * The workspace's triggers as of this position. Every trigger event up to it must have been applied. For an earlier
   * position, as of a parked event, they are folded from the log.
   */
  async of(workspaceId: string, position: number): Promise<TriggerIndex> {
    const upTo = this.known.get(workspaceId)?.upTo;
    if (upTo !== undefined && position < upTo) return (await this.load(workspaceId, position)).index;
    const known = this.known.get(workspaceId) ?? (await this.load(workspaceId, position));
    // Moves the workspace to the end, because the least recently used one is dropped first.
    this.known.delete(workspaceId);
    this.known.set(workspaceId, known);
    const [oldest] = this.known.keys();
    if (this.known.size > mostWorkspaces && oldest !== undefined) this.known.delete(oldest);
    return known.index;
  }

  /** Clears the cache, for when the log position is no longer known. */
  clear(): void {
    this.known.clear();
  }

  private async load(workspaceId: string, position: number): Promise<Known> {
    const index = new TriggerIndex();
    for (const trigger of await this.history.asOf(workspaceId, position)) index.set(trigger);
    return { index, upTo: position };
  }
}

/** The triggers as of any position of the log. */
@Injectable()
export class TriggerHistory {
  constructor(
    private readonly store: ReadStore,
    private readonly events: EventStore,
  ) {}

  /**
   * The read model may be before or after the position. For every trigger changed after the earlier of the two, its own
   * stream gives the state.
   */
  async asOf(workspaceId: string, position: number): Promise<readonly EventTrigger[]> {
    const { shown, upTo } = await this.shown(workspaceId);
    const triggers = new Map(shown.map((trigger) => [trigger.id, trigger]));
    const since = Math.min(upTo, position);
    for (const stream of new Set((await this.after(since, workspaceId)).map((event) => event.stream))) {
      const { id } = parseStream(stream);
      const before = (await this.events.readStream(stream)).filter((event) => event.position <= position);
      const trigger = fold(eventTriggers, undefined, before as unknown as readonly Recorded<EventTriggerEvent>[]);
      if (trigger === undefined) triggers.delete(id);
      else triggers.set(id, trigger);
    }
    return [...triggers.values()];
  }

  /** Documents that are at least as new as `upTo`. */
  private async shown(workspaceId: string): Promise<{ shown: readonly EventTrigger[]; upTo: number }> {
    for (;;) {
      const generation = await this.store.active(readModel);
      const upTo = generation === undefined ? -1 : await this.store.checkpoint({ projection: readModel, generation });
      const shown = await this.store.find<EventTrigger>(readModel, { where: { workspaceId } });
      // A rebuild may have replaced the read model meanwhile.
      if ((await this.store.active(readModel)) === generation) return { shown, upTo };
    }
  }

  /** Every trigger event after this position. */
  async after(position: number, workspaceId?: string): Promise<readonly RecordedEvent[]> {
    const found: RecordedEvent[] = [];
    for (let from = position; ; ) {
      const filter = { types: triggerEventTypes, ...(workspaceId === undefined ? {} : { workspaceId }) };
      const events = await this.events.readAll({ ...filter, from, limit: page });
      found.push(...events);
      const last = events.at(-1);
      if (last === undefined || events.length < page) return found;
      from = last.position;
    }
  }
}
