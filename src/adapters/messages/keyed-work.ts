import type { Clock } from '../../ports/clock.port.js';
import { type Further, firstPauseMs, KeyQueue } from './key-queue.js';

export interface Keyed {
  readonly key: string;
}

export interface KeyedWorkOptions<T extends Keyed> {
  readonly clock: Clock;
  readonly concurrency: number;
  handle(item: T): Promise<void>;
  done(item: T): void;
  /** Called after a rejection, before the pause. Returns false if this process must not retry. */
  rejected(item: T, error: unknown, pauseMs: number): boolean;
  /** Finds items of a key that are not in memory. If omitted, all items are in memory. */
  readonly further?: Further<T> | undefined;
}

/**
 * Handles items of the same key one after another, and different keys concurrently. A key that pauses after a rejection
 * does not count towards `concurrency`.
 */
export class KeyedWork<T extends Keyed> {
  private readonly queues = new Map<string, KeyQueue<T>>();
  /** Keys that are ready, by group. Groups, and keys within a group, that have waited longest come first. */
  private readonly ready = new Map<string, Set<string>>();
  private busy = 0;
  private isPaused = false;
  private whenIdle: (() => void)[] = [];

  constructor(private readonly options: KeyedWorkOptions<T>) {}

  /**
   * @param asksFirst whether older items of the item's key can be missing, so that they are looked up before the item
   * begins
   */
  add(item: T, asksFirst = false): void {
    const known = this.queues.get(item.key);
    const keyQueue = known ?? new KeyQueue<T>(item.key, this.options.further, item);
    keyQueue.add(item, asksFirst);
    if (known !== undefined) return;
    this.queues.set(item.key, keyQueue);
    this.queue(item.key);
    this.turn();
  }

  get beyond(): number {
    return [...this.queues.values()].filter(({ isBeyond }) => isBeyond).length;
  }

  inHand(key: string): T | undefined {
    return this.queues.get(key)?.inHand;
  }

  /** Items in progress are not dropped. */
  drop(which: (item: T) => boolean): void {
    for (const [key, keyQueue] of this.queues) {
      const [first] = keyQueue.items;
      keyQueue.drop(which);
      if (keyQueue.items[0] !== first) this.resumeKey(key, keyQueue);
      if (keyQueue.isEmpty) this.forget(key);
    }
  }

  pause(): void {
    this.isPaused = true;
  }

  release(): void {
    this.isPaused = false;
    this.turn();
  }

  async drain(graceMs: number): Promise<void> {
    this.isPaused = true;
    for (const keyQueue of this.queues.values()) keyQueue.endPause?.();
    if (this.busy === 0) return;
    await new Promise<void>((resolve) => {
      const callOff = this.options.clock.after(graceMs, resolve);
      this.whenIdle.push(() => {
        callOff();
        resolve();
      });
    });
  }

  private turn(): void {
    while (!this.isPaused && this.busy < this.options.concurrency) {
      const key = this.nextKey();
      if (key === undefined) return;
      const keyQueue = this.queues.get(key);
      const item = keyQueue?.items[0];
      if (keyQueue?.needsLookup) void this.beginLookup(key, keyQueue);
      else if (keyQueue !== undefined && item !== undefined) void this.begin(key, keyQueue, item);
    }
  }

  /** Groups take turns, so a group with a thousand keys gets no more than a group with one. */
  private nextKey(): string | undefined {
    for (const [group, keys] of this.ready) {
      const [key] = keys;
      this.ready.delete(group);
      if (key === undefined) continue;
      keys.delete(key);
      if (keys.size > 0) this.ready.set(group, keys);
      return key;
    }
    return undefined;
  }

  private queue(key: string): void {
    const keys = this.ready.get(groupOf(key));
    if (keys === undefined) this.ready.set(groupOf(key), new Set([key]));
    else keys.add(key);
  }

  private async begin(key: string, keyQueue: KeyQueue<T>, item: T): Promise<void> {
    this.busy += 1;
    keyQueue.inHand = item;
    const error = await this.attempt(item);
    this.busy -= 1;
    keyQueue.inHand = undefined;
    if (error === undefined) this.finish(keyQueue, item);
    else this.again(key, keyQueue, item, error.reason);
    this.goOn(key, keyQueue);
  }

  /** A look-up counts towards `concurrency`, like an item in progress. */
  private async beginLookup(key: string, keyQueue: KeyQueue<T>): Promise<void> {
    this.busy += 1;
    const pauseMs = await keyQueue.lookUp();
    this.busy -= 1;
    if (pauseMs !== undefined) this.pauseKey(key, keyQueue, pauseMs);
    this.goOn(key, keyQueue);
  }

  private goOn(key: string, keyQueue: KeyQueue<T>): void {
    // During a look-up, the key can have been dropped and added again with another queue.
    if (this.queues.get(key) === keyQueue) {
      if (keyQueue.isEmpty) this.forget(key);
      // The key goes behind all others of its group, so a busy key does not starve them.
      else if (keyQueue.endPause === undefined) this.queue(key);
    }
    if (this.busy === 0) for (const resolve of this.whenIdle.splice(0)) resolve();
    this.turn();
  }

  private async attempt(item: T): Promise<{ readonly reason: unknown } | undefined> {
    try {
      await this.options.handle(item);
      return undefined;
    } catch (reason) {
      return { reason };
    }
  }

  private finish(keyQueue: KeyQueue<T>, item: T): void {
    keyQueue.pauseMs = firstPauseMs;
    keyQueue.shift();
    this.options.done(item);
  }

  private again(key: string, keyQueue: KeyQueue<T>, item: T, reason: unknown): void {
    if (this.options.rejected(item, reason, keyQueue.pauseMs)) this.pauseKey(key, keyQueue, keyQueue.nextPauseMs());
    else keyQueue.shift();
  }

  private pauseKey(key: string, keyQueue: KeyQueue<T>, ms: number): void {
    if (this.queues.get(key) !== keyQueue) return;
    keyQueue.endPause = this.options.clock.after(ms, () => {
      keyQueue.endPause = undefined;
      this.queue(key);
      this.turn();
    });
  }

  private resumeKey(key: string, keyQueue: KeyQueue<T>): void {
    keyQueue.pauseMs = firstPauseMs;
    if (keyQueue.endPause === undefined) return;
    keyQueue.endPause();
    keyQueue.endPause = undefined;
    this.queue(key);
  }

  private forget(key: string): void {
    this.queues.get(key)?.endPause?.();
    this.queues.delete(key);
    this.ready.get(groupOf(key))?.delete(key);
  }
}

const groupOf = (key: string) => key.slice(0, key.indexOf('/') + 1);
