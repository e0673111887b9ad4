import type { DatabaseSync } from 'node:sqlite';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { LogSnapshot } from '../../../ports/event-store.port.js';
import { rethrowAsUnavailable } from './errors.js';
import { EventReader } from './event-reader.js';

const page = 250;

export class EmbeddedSnapshot implements LogSnapshot {
  readonly head: number;
  readonly keptFrom: ReadonlyMap<string, number>;
  private readonly reader: EventReader;

  constructor(
    private readonly database: DatabaseSync,
    private readonly workspaceId: string | undefined,
  ) {
    try {
      // SQLite fixes the view at the first read, not at BEGIN.
      database.exec('BEGIN');
      this.reader = new EventReader(database);
      this.head = this.reader.head();
      this.keptFrom = this.reader.keptFrom(workspaceId);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  async *events(): AsyncIterable<RecordedEvent> {
    const filter = this.workspaceId === undefined ? {} : { workspaceId: this.workspaceId };
    for (let from = -1; ; ) {
      const events = await this.reader.all({ ...filter, from, limit: page }).catch(rethrowAsUnavailable);
      yield* events;
      const last = events.at(-1);
      if (last === undefined || events.length < page) return;
      from = last.position;
    }
  }

  async close(): Promise<void> {
    if (this.database.isOpen) this.database.close();
  }
}
