import { setTimeout as pauseOf } from 'node:timers/promises';
import type { EventFilter, Subscriber, Subscription } from '../../../ports/event-store.port.js';
import { CatchUpGroup, type HistoryReader } from './catch-up-group.js';
import { includes, unionOf } from './filters.js';
import { Follower, type FollowerSource } from './follower.js';
import type { LogPage, LogSource } from './log-source.js';
import { SharedTail } from './shared-tail.js';

/** Delay before a long history is read, so that further subscriptions can read it together. */
const gatherMs = 50;
const firstPauseMs = 100;
/** Short, so that subscribers continue within a second after the store is available again. */
const longestPauseMs = 800;

/**
 * The only reader of the log in this process. Subscriptions at about the same position catch up together, then join the
 * shared live tail, which is read once for all of them. A subscription that falls behind the tail catches up again.
 */
export class LogReader implements FollowerSource, HistoryReader {
  private readonly tail: SharedTail;
  private readonly followers = new Set<Follower>();
  private readonly waiting = new Set<Follower>();
  private isGathering = false;

  /** @param patienceMs see `HistoryReader` */
  constructor(
    private readonly source: LogSource,
    readonly patienceMs = 2_000,
  ) {
    this.tail = new SharedTail(source, this);
  }

  get isUsed(): boolean {
    return this.followers.size > 0;
  }

  subscribe(subscriber: Subscriber): Subscription {
    const follower = new Follower(subscriber, this, (error) => this.source.onError(error));
    this.followers.add(follower);
    return {
      get position() {
        return follower.position;
      },
      stop: () => this.stop(follower),
    };
  }

  /** Must be called after events were pruned. Events in memory are dropped and read again before delivery. */
  forget(): void {
    this.tail.reset();
  }

  async close(): Promise<void> {
    await Promise.all([...this.followers].map((follower) => this.stop(follower)));
  }

  resting(follower: Follower): void {
    if (this.tail.join(follower)) return;
    this.waiting.add(follower);
    if (this.isGathering) return;
    this.isGathering = true;
    void Promise.resolve().then(() => this.gather());
  }

  gone(follower: Follower): void {
    this.waiting.delete(follower);
  }

  arrived(follower: Follower, end: number): void {
    if (this.tail.join(follower, end)) return;
    // The tail no longer contains all events after `end`. The follower handles the events that it has, and then reads
    // history again.
    follower.moveTo(this);
    follower.wake();
  }

  async read(after: number, filter: () => EventFilter, isNeeded: () => boolean): Promise<LogPage | undefined> {
    for (let pause = firstPauseMs; isNeeded(); pause = Math.min(pause * 2, longestPauseMs)) {
      try {
        return await this.source.page(after, filter());
      } catch (error) {
        if (!isNeeded()) return undefined;
        this.source.onError(error);
        await pauseOf(pause, undefined, { ref: false });
      }
    }
    return undefined;
  }

  private async stop(follower: Follower): Promise<void> {
    await follower.stop();
    this.followers.delete(follower);
  }

  private async gather(): Promise<void> {
    let isLong = false;
    while (this.waiting.size > 0) {
      const after = Math.min(...[...this.waiting].map(({ reached }) => reached));
      let filter: EventFilter = {};
      const union = () => {
        filter = unionOf([...this.waiting].map((follower) => follower.filter));
        return filter;
      };
      const page = await this.read(after, union, () => this.waiting.size > 0);
      if (page === undefined) continue;
      const waits = !page.atEnd && !isLong;
      isLong = !page.atEnd;
      if (waits) await pauseOf(gatherMs);
      const group = [...this.waiting].filter((follower) => suffices(follower, page, after, filter));
      // A follower that arrived during the pause can need more than this page contains. Then no group starts, and the
      // page is read again for all waiting followers.
      if (!waits || group.length === this.waiting.size) this.startGroup(group, page);
    }
    this.isGathering = false;
  }

  private startGroup(group: readonly Follower[], page: LogPage): void {
    for (const follower of group) this.waiting.delete(follower);
    if (group.length > 0) void new CatchUpGroup(group, this).run(page);
  }
}

function suffices({ reached, filter }: Follower, page: LogPage, after: number, read: EventFilter): boolean {
  return reached >= after && (reached <= page.upTo || page.atEnd) && includes(read, filter);
}
