import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { LogSnapshot } from '../../../ports/event-store.port.js';
import { eventStoreUnavailable } from './errors.js';
import type { EventReader } from './event-reader.js';

/**
 * Omits events that had been pruned at the snapshot's position, although the server still returns them. The streams'
 * metadata, which is in the same log, shows what had been pruned.
 */
export class EventStoreDbSnapshot implements LogSnapshot {
  private constructor(
    private readonly reader: EventReader,
    private readonly workspaceId: string | undefined,
    readonly head: number,
    private readonly end: number,
    readonly keptFrom: ReadonlyMap<string, number>,
  ) {}

  static async take(reader: EventReader, workspaceId: string | undefined): Promise<EventStoreDbSnapshot> {
    const { end, head } = await reader.ends();
    return new EventStoreDbSnapshot(reader, workspaceId, head, end, await reader.keptFrom(end, workspaceId));
  }

  async *events(): AsyncIterable<RecordedEvent> {
    const filter = this.workspaceId === undefined ? {} : { workspaceId: this.workspaceId };
    try {
      for await (const event of this.reader.history(this.end, filter)) {
        if (event.revision >= (this.keptFrom.get(event.stream) ?? 0)) yield event;
      }
    } catch (error) {
      throw eventStoreUnavailable(error);
    }
  }

  async close(): Promise<void> {}
}
