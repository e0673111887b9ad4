import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { EventFilter } from '../../../ports/event-store.port.js';

/** A piece of the log in order, all that matches a filter after a position. */
export interface Page {
  readonly events: readonly RecordedEvent[];
  /** Everything up to here was searched. */
  readonly upTo: number;
  /** `upTo` was the end of the log when it was read. */
  readonly atEnd: boolean;
}

/** Gets everything that is appended after a position, in order and without gaps. */
export interface LiveSink {
  /** @param size about how many bytes the events take */
  push(events: readonly RecordedEvent[], upTo: number, size: number): void;
  /** The feed cannot go on from where it was. It has ended. */
  lost(): void;
}

export interface LiveFeed {
  /** Somebody joins who may wait to hear of the log's end: push it soon, also if no event is to come. */
  tellEnd(): void;
  /** The sink is not called afterwards. */
  close(): void;
}

/** What an adapter tells the reader of its log. */
export interface LogSource {
  /** The next piece of history. Bounded in events and, where they can be large, in bytes. */
  page(after: number, filter: EventFilter): Promise<Page>;
  /**
   * Follows the log from a position where a page has ended. It survives failures until it is closed. The sink is not
   * called before this returns.
   */
  live(after: number, sink: LiveSink): LiveFeed;
  /** Gets errors of reads and of handlers, before the pause and the next attempt. Must not throw. */
  onError(error: unknown): void;
}
