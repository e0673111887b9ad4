import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Watermark } from '../../../engine/watermark.js';
import type { RecordedEvent } from '../../../kernel/event.js';
import { EventStore, type Subscription } from '../../../ports/event-store.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { type CardEvent, CardEvents } from './card-events.js';

const pageEvents = 50;
/** Of the newest cards, kept so that the log is read once however many follow it. */
const tailCharacters = 4_000_000;

/**
 * What becomes of cards, from history to live. One subscription a process serves all followers: it keeps the end of
 * the log in memory, and whoever is further behind reads from the store until they have reached it.
 */
@Injectable()
export class CardFeed implements BeforeApplicationShutdown {
  private beginning: Promise<void> | undefined;
  private live: Subscription | undefined;
  /** Every card event after `tailAfter` and up to `upTo`. */
  private tail: CardEvent[] = [];
  private tailAfter = -1;
  private upTo = -1;
  private characters = 0;
  private waiting = new Set<() => void>();

  constructor(
    private readonly events: EventStore,
    private readonly cards: CardEvents,
    private readonly store: ReadStore,
    private readonly watermark: Watermark,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.beginning?.catch(() => undefined);
    await this.live?.stop();
  }

  /**
   * Every event of the workspace's cards after the position, once and in order, until the signal is given. What is told
   * shows in the lists from then on, whichever process is asked. @throws when a store cannot be reached
   */
  async *follow(workspaceId: string, after: number, signal: AbortSignal): AsyncGenerator<CardEvent> {
    await this.begin();
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
      if (this.upTo <= upTo) await this.more(signal);
    }
  }

  private begin(): Promise<void> {
    this.beginning ??= this.subscribe().catch((error: unknown) => {
      this.beginning = undefined;
      throw error;
    });
    return this.beginning;
  }

  private async subscribe(): Promise<void> {
    const after = await this.events.head();
    this.tailAfter = after;
    this.upTo = after;
    this.live = this.events.subscribe({
      categories: ['pendingChange'],
      after,
      handle: async (events, caughtUpTo) => this.append(await this.shown(events), caughtUpTo),
    });
  }

  private append(events: readonly CardEvent[], caughtUpTo: number): void {
    // Followers may be going through the tail as it was: it is replaced, never changed.
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

  /** A page of the log; where there is no more of it before the tail, the tail is reached. */
  private async history(workspaceId: string, from: number, tailAfter: number) {
    const filter = { categories: ['pendingChange'], workspaceId };
    const page = await this.events.readAll({ ...filter, from, limit: pageEvents });
    const last = page.at(-1)?.position ?? from;
    return { events: await this.shown(page), upTo: page.length < pageEvents ? Math.max(last, tailAfter) : last };
  }

  /** Whoever hears of a card may look for it next, and not only in this process. */
  private async shown(events: readonly RecordedEvent[]): Promise<readonly CardEvent[]> {
    const last = events.at(-1);
    if (last === undefined) return [];
    this.watermark.appended(last.position, events);
    await this.store.count('pendingChanges', { id: '' });
    return this.cards.of(events);
  }

  private more(signal: AbortSignal): Promise<void> {
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
