import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { EventFilter } from '../../../ports/event-store.port.js';
import type { LiveFeed, LiveSink, LogPage, LogSource } from '../log-reader/log-source.js';
import { available } from './errors.js';
import type { EventLog } from './event-log.js';

/**
 * Limits of a page; `size` is an estimated number of characters. Up to four pages are in memory at the same time: while
 * one is read, one is handled, and the results of two are committed.
 */
const most = { events: 2_000, size: 8 * 1024 * 1024 };
/** Number of events read in one turn of the event loop. Reading more would block the main thread for too long. */
const stretchEvents = 1_000;
const pauseMs = 100;

interface Followed {
  readonly sink: LiveSink;
  at: number;
}

export class EmbeddedLogSource implements LogSource {
  private followed: Followed | undefined;

  constructor(
    private readonly log: EventLog,
    readonly onError: (error: unknown) => void,
  ) {}

  async page(after: number, filter: EventFilter): Promise<LogPage> {
    const { head, reader } = this.log;
    const found: RecordedEvent[] = [];
    let [at, bytes] = [after, 0];
    while (at < head && found.length < most.events && bytes < most.size) {
      const { events, upTo, size } = available(() => reader.after(at, head, filter, stretchEvents));
      found.push(...events);
      at = upTo;
      bytes += size;
      if (at < head) await nextTurn();
    }
    return { events: found, upTo: Math.min(at, head), atEnd: at >= head };
  }

  live(after: number, sink: LiveSink): LiveFeed {
    const followed = { sink, at: after };
    this.followed = followed;
    queueMicrotask(() => this.wake());
    return {
      reportEnd: () => this.wake(),
      close: () => {
        if (this.followed === followed) this.followed = undefined;
      },
    };
  }

  /**
   * Must be called after every commit and before its appends resolve, so that handlers get the events before the
   * callers of `append` continue.
   */
  wake(): void {
    try {
      while (this.followed !== undefined && this.followed.at < this.log.head) {
        const { followed } = this;
        const { events, upTo, size, live } = available(() => this.log.read(followed.at, {}));
        followed.at = upTo;
        followed.sink.push(events, upTo, size);
        if (live) continue;
        setImmediate(() => this.wake());
        return;
      }
    } catch (error) {
      this.onError(error);
      setTimeout(() => this.wake(), pauseMs).unref();
    }
  }
}
