import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { EventFilter } from '../../../ports/event-store.port.js';

export interface LogPage {
  readonly events: readonly RecordedEvent[];
  readonly upTo: number;
  /** Whether `upTo` was the end of the log when the page was read. */
  readonly atEnd: boolean;
}

export interface LiveSink {
  /** @param size estimated size of the events, in bytes or characters */
  push(events: readonly RecordedEvent[], upTo: number, size: number): void;
  lost(): void;
}

export interface LiveFeed {
  /**
   * Must soon call the sink with the last position of the log, even if there are no new events, because a new subscriber
   * can be waiting to learn that it has read everything.
   */
  reportEnd(): void;
  /** The sink is not called afterwards. */
  close(): void;
}

export interface LogSource {
  /** Returns a limited number of events. If events can be large, their total size is limited too. */
  page(after: number, filter: EventFilter): Promise<LogPage>;
  /**
   * Follows the log from the end of a page. Retries after failures until it is closed. Does not call the sink before
   * this method returns.
   */
  live(after: number, sink: LiveSink): LiveFeed;
  /** Called with errors of reads and handlers, before the pause and the retry. Must not throw. */
  onError(error: unknown): void;
}
