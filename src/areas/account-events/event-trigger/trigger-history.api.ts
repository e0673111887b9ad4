import { Injectable } from '@nestjs/common';
import type { Recorded, RecordedEvent } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import { fold } from '../../../kernel/record/aggregate.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { type EventTrigger, type EventTriggerEvent, eventTriggers } from './event-trigger.record.js';

const readModel = 'eventTriggers';
const page = 1_000;

@Injectable()
export class TriggerHistory {
  constructor(
    private readonly store: ReadStore,
    private readonly events: EventStore,
  ) {}

  /**
   * The read model can be behind or ahead of `position`. Triggers that changed after the earlier of these two positions
   * are therefore rebuilt from their own streams.
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

  /** The documents reflect at least all events up to the position `upTo`. */
  private async shown(workspaceId: string): Promise<{ shown: readonly EventTrigger[]; upTo: number }> {
    for (;;) {
      const generation = await this.store.active(readModel);
      const upTo = generation === undefined ? -1 : await this.store.checkpoint({ projection: readModel, generation });
      const shown = await this.store.find<EventTrigger>(readModel, { where: { workspaceId } });
      if ((await this.store.active(readModel)) === generation) return { shown, upTo };
    }
  }

  async after(position: number, workspaceId?: string): Promise<readonly RecordedEvent[]> {
    const found: RecordedEvent[] = [];
    for (let from = position; ; ) {
      const filter = { types: eventTriggers.types, ...(workspaceId === undefined ? {} : { workspaceId }) };
      const events = await this.events.readAll({ ...filter, from, limit: page });
      found.push(...events);
      const last = events.at(-1);
      if (last === undefined || events.length < page) return found;
      from = last.position;
    }
  }
}
