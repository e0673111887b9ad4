import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Watermark } from '../../../engine/read-models/watermark.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { EventStore, type Subscription } from '../../../ports/event-store.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { type CardEvent, CardEvents } from './card-events.js';

const pageEvents = 50;
/** The newest card events, kept so that the log is read once for any number of followers. */
const tailCharacters = 4_000_000;

/**
 * Card events from history on to live. One subscription per process serves all followers: it keeps the end of the log
 * in memory. Followers that are further behind read from the store until they reach it.
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
   * Every event of the workspace's cards after the position, once and in order, until the signal is aborted. When an
   * event is yielded, every process's lists already show it. @throws when a store cannot be reached
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

  /** A page of the log. When there are no more events before the tail, the follower has reached the tail. */
  private async history(workspaceId: string, from: number, tailAfter: number) {
    const filter = { categories: ['pendingChange'], workspaceId };
    const page = await this.events.readAll({ ...filter, from, limit: pageEvents });
    const last = page.at(-1)?.position ?? from;
    return { events: await this.shown(page), upTo: page.length < pageEvents ? Math.max(last, tailAfter) : last };
  }

  /** A follower may look the card up next, possibly in another process. */
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
