import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { LiveEvents } from '../../../engine/read-models/live-events.js';
import { ReadYourWrites } from '../../../engine/read-models/read-your-writes.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { type CardEvent, CardEvents } from './card-events.js';

const pageEvents = 50;
/** Size of the buffer of recent card events, so that the log is read once for all followers. */
const tailCharacters = 4_000_000;

/**
 * Streams card events: history first, then live. One subscription per process buffers the end of the log for all
 * followers. Followers that are further behind read the store until they reach the buffer.
 */
@Injectable()
export class CardFeed implements BeforeApplicationShutdown {
  private readonly live: LiveEvents;
  /** All card events after `tailAfter`, up to and including `upTo`. */
  private tail: CardEvent[] = [];
  private tailAfter = -1;
  private upTo = -1;
  private characters = 0;
  private waiting = new Set<() => void>();

  constructor(
    private readonly events: EventStore,
    private readonly cards: CardEvents,
    private readonly store: ReadStore,
    private readonly readYourWrites: ReadYourWrites,
  ) {
    this.live = new LiveEvents(events, {
      categories: ['pendingChange'],
      began: (after) => {
        this.tailAfter = after;
        this.upTo = after;
      },
      handle: async (recorded, caughtUpTo) => this.append(await this.cardEvents(recorded), caughtUpTo),
    });
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.live.stop();
  }

  /**
   * Yields every event of the workspace's cards after the position, once and in order, until the signal aborts. Read
   * models of all processes already include an event when it is yielded.
   * @throws when a store cannot be reached
   */
  async *follow(workspaceId: string, after: number, signal: AbortSignal): AsyncGenerator<CardEvent> {
    await this.live.begin();
    for (let at = after; !signal.aborted; ) {
      if (at < this.tailAfter) {
        const { events, upTo } = await this.history(workspaceId, at, this.tailAfter);
        yield* events;
        at = upTo;
        continue;
      }
      const upTo = Math.max(at, this.upTo);
      for (const event of this.tail) {
        if (event.workspaceId === workspaceId && event.position > at) yield event;
      }
      at = upTo;
      if (this.upTo <= upTo) await this.nextAppend(signal);
    }
  }

  private append(events: readonly CardEvent[], caughtUpTo: number): void {
    // Followers may be iterating over the old tail, so it is replaced, never changed.
    this.tail = [...this.tail, ...events];
    this.upTo = caughtUpTo;
    for (const { card } of events) this.characters += card.length;
    while (this.characters > tailCharacters) {
      const [oldest, ...rest] = this.tail;
      if (oldest === undefined) break;
      this.tail = rest;
      this.tailAfter = oldest.position;
      this.characters -= oldest.card.length;
    }
    if (events.length === 0) return;
    const { waiting } = this;
    this.waiting = new Set();
    for (const wake of waiting) wake();
  }

  /** One page of the log. A page that is not full means that the follower has reached the tail. */
  private async history(workspaceId: string, from: number, tailAfter: number) {
    const filter = { categories: ['pendingChange'], workspaceId };
    const page = await this.events.readAll({ ...filter, from, limit: pageEvents });
    const last = page.at(-1)?.position ?? from;
    return { events: await this.cardEvents(page), upTo: page.length < pageEvents ? Math.max(last, tailAfter) : last };
  }

  /** Waits for the read models first: a follower may look the card up next, possibly in another process. */
  private async cardEvents(events: readonly RecordedEvent[]): Promise<readonly CardEvent[]> {
    const last = events.at(-1);
    if (last === undefined) return [];
    this.readYourWrites.appended(last.position, events);
    await this.store.count('pendingChanges', { id: '' });
    return this.cards.of(events);
  }

  private nextAppend(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake);
        this.waiting.delete(wake);
        resolve();
      };
      signal.addEventListener('abort', wake);
      this.waiting.add(wake);
      if (signal.aborted) wake();
    });
  }
}
