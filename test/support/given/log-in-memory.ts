import { setImmediate } from 'node:timers/promises';
import { includes } from '../../../src/adapters/event-store/log-reader/filters.js';
import type {
  LiveFeed,
  LiveSink,
  LogPage,
  LogSource,
} from '../../../src/adapters/event-store/log-reader/log-source.js';
import type { RecordedEvent } from '../../../src/kernel/event/event.js';
import { parseStream } from '../../../src/kernel/event/stream-name.js';
import type { EventFilter } from '../../../src/ports/event-store.port.js';
import { specMetadata } from './given.js';

/** A log for testing the log reader. Pages have `pageEvents` events, and faults can be simulated. */
export class LogInMemory implements LogSource {
  readonly events: RecordedEvent[] = [];
  readonly errors: unknown[] = [];
  /** Pages that were read: their start and their filter. */
  readonly pages: { readonly after: number; readonly filter: EventFilter }[] = [];
  /** Number of times that the live feed was opened. */
  opened = 0;
  failingPages = 0;
  /** Simulated size of an event, in bytes. */
  size = 100;
  private feed: { readonly sink: LiveSink; at: number } | undefined;

  constructor(private readonly pageEvents = 100) {}

  get isFollowed(): boolean {
    return this.feed !== undefined;
  }

  /** @param types event types; each event gets another category and workspace in turn */
  append(types: readonly string[]): void {
    for (const type of types) {
      const position = this.events.length;
      const stream = `${position % 3 === 0 ? 'webhook' : 'function'}-ws_${position % 2}.id`;
      this.events.push({
        id: `${position}`,
        stream,
        revision: position,
        position,
        type,
        data: {},
        metadata: specMetadata({ workspaceId: parseStream(stream).workspaceId }),
      });
    }
    this.deliver();
  }

  /** Passes the new events to the live feed. */
  deliver(): void {
    if (this.feed === undefined) return;
    const { sink, at } = this.feed;
    const fresh = this.events.slice(at + 1);
    if (fresh.length === 0) return;
    this.feed.at = this.events.length - 1;
    sink.push(fresh, this.events.length - 1, fresh.length * this.size);
  }

  /** Ends the live feed, as a broken connection does. */
  lose(): void {
    const { feed } = this;
    this.feed = undefined;
    feed?.sink.lost();
  }

  matching(filter: EventFilter, after = -1): readonly RecordedEvent[] {
    return this.events.slice(after + 1).filter(({ type, stream }) => {
      const { category, workspaceId } = parseStream(stream);
      return includes(filter, { types: [type], categories: [category], workspaceId });
    });
  }

  async page(after: number, filter: EventFilter): Promise<LogPage> {
    this.pages.push({ after, filter });
    const head = this.events.length - 1;
    await setImmediate();
    if (this.failingPages > 0) {
      this.failingPages -= 1;
      throw new Error('the page cannot be read');
    }
    const found = this.matching(filter, after).filter(({ position }) => position <= head);
    const events = found.slice(0, this.pageEvents);
    const atEnd = found.length <= this.pageEvents;
    return { events, upTo: atEnd ? head : (events.at(-1)?.position ?? head), atEnd };
  }

  live(after: number, sink: LiveSink): LiveFeed {
    this.opened += 1;
    const feed = { sink, at: after };
    this.feed = feed;
    queueMicrotask(() => this.deliver());
    return {
      reportEnd: () => undefined,
      close: () => {
        if (this.feed === feed) this.feed = undefined;
      },
    };
  }

  onError(error: unknown): void {
    this.errors.push(error);
  }
}
