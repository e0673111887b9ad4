import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventFilter } from '../../../ports/event-store.port.js';
import type { LiveFeed, LiveSink, LogSource, Page } from '../log-reader/log-source.js';
import { available } from './errors.js';
import type { EventLog } from './event-log.js';

const pageEvents = 2_000;
const pauseMs = 100;

interface Followed {
  readonly sink: LiveSink;
  at: number;
}

/** The log for the process's reader: pages from disk, and the tail from memory as soon as it is committed. */
export class EmbeddedLogSource implements LogSource {
  private followed: Followed | undefined;

  constructor(
    private readonly log: EventLog,
    readonly onError: (error: unknown) => void,
  ) {}

  async page(after: number, filter: EventFilter): Promise<Page> {
    const { head, reader } = this.log;
    if (after >= head) return { events: [], upTo: head, atEnd: true };
    const { events, upTo } = available(() => reader.after(after, head, filter, pageEvents));
    // A long history must not block the main thread.
    if (upTo < head) await nextTurn();
    return { events, upTo, atEnd: upTo >= head };
  }

  live(after: number, sink: LiveSink): LiveFeed {
    const followed = { sink, at: after };
    this.followed = followed;
    // Something may have been committed since the page was read.
    queueMicrotask(() => this.wake());
    return {
      tellEnd: () => this.wake(),
      close: () => {
        if (this.followed === followed) this.followed = undefined;
      },
    };
  }

  /** Call after every commit and before the appends resolve, so that handlers come first. */
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
