import type { RecordedEvent } from '../../../kernel/event.js';
import type { LogSnapshot } from '../../../ports/event-store.port.js';
import { unavailable } from './errors.js';
import type { EventReader } from './event-reader.js';

/**
 * The log up to a position, without events pruned by then, which the server's log still returns. The streams' metadata,
 * which is in the same log, tells what was pruned when.
 */
export class EventStoreDbSnapshot implements LogSnapshot {
  private constructor(
    private readonly reader: EventReader,
    private readonly workspaceId: string | undefined,
    readonly head: number,
    readonly keptFrom: ReadonlyMap<string, number>,
  ) {}

  static async take(reader: EventReader, workspaceId: string | undefined): Promise<EventStoreDbSnapshot> {
    const head = await reader.last();
    return new EventStoreDbSnapshot(reader, workspaceId, head, await reader.keptFrom(head, workspaceId));
  }

  async *events(): AsyncIterable<RecordedEvent> {
    const filter = this.workspaceId === undefined ? {} : { workspaceId: this.workspaceId };
    try {
      for await (const event of this.reader.history(this.head, filter)) {
        if (event.revision >= (this.keptFrom.get(event.stream) ?? 0)) yield event;
      }
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** Nothing is held. */
  async close(): Promise<void> {}
}
