import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { LiveEvents } from '../../../engine/read-models/live-events.js';
import { ReadYourWrites } from '../../../engine/read-models/read-your-writes.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { type CardEvent, CardEvents } from './card-events.js';

const pageEvents = 50;
/** Size limit of the buffer with the latest events, in characters of JSON. */
const tailCharacters = 4_000_000;

/**
 * All followers in this process share a buffer with the latest events. Followers that are further behind read the log
 * until they reach the buffer.
 */
@Injectable()
export class CardFeed implements BeforeApplicationShutdown {
  private readonly live: LiveEvents;
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
   * Yields each event once and in log order. When an event is yielded, the read models of all processes include it.
   * @throws if a store cannot be reached
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
    // A follower could be iterating over the current array, so the array is replaced and not changed.
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

  private async history(workspaceId: string, from: number, tailAfter: number) {
    const filter = { categories: ['pendingChange'], workspaceId };
    const page = await this.events.readAll({ ...filter, from, limit: pageEvents });
    const last = page.at(-1)?.position ?? from;
    return { events: await this.cardEvents(page), upTo: page.length < pageEvents ? Math.max(last, tailAfter) : last };
  }

  /**
   * Waits until the read models include the events, because a follower can look the card up next, possibly in another
   * process.
   */
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
