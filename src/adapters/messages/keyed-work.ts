import type { Clock } from '../../ports/clock.port.js';
import { type Further, firstPauseMs, KeyQueue } from './key-queue.js';

export interface Keyed {
  readonly key: string;
}

export interface KeyedWorkOptions<T extends Keyed> {
  readonly clock: Clock;
  /** Most keys handled concurrently. */
  readonly concurrency: number;
  handle(item: T): Promise<void>;
  done(item: T): void;
  /** Called before the pause. Returns false if this process must not retry. */
  rejected(item: T, error: unknown, pauseMs: number): boolean;
  /** If omitted, all items are held in memory. */
  readonly further?: Further<T> | undefined;
}

/**
 * Handles items of one key in sequence and different keys concurrently. Groups of keys get a fair share, and a key that
 * pauses after a rejection uses no slot.
 */
export class KeyedWork<T extends Keyed> {
  private readonly queues = new Map<string, KeyQueue<T>>();
  /** Keys whose first item may begin, by group. Groups and keys are each ordered by waiting time. */
  private readonly ready = new Map<string, Set<string>>();
  private busy = 0;
  private isHeld = false;
  private whenIdle: (() => void)[] = [];

  constructor(private readonly options: KeyedWorkOptions<T>) {}

  /** @param asksFirst whether earlier items of its key may be missing and are looked up before it begins */
  add(item: T, asksFirst = false): void {
    const known = this.queues.get(item.key);
    const lane = known ?? new KeyQueue<T>(item.key, this.options.further, item);
    lane.add(item, asksFirst);
    if (known !== undefined) return;
    this.queues.set(item.key, lane);
    this.queue(item.key);
    this.turn();
  }

  /** Number of keys with more queued items than are in memory. */
  get beyond(): number {
    return [...this.queues.values()].filter(({ isBeyond }) => isBeyond).length;
  }

  inHand(key: string): T | undefined {
    return this.queues.get(key)?.inHand;
  }

  /** Drops items that have not begun, including those that pause between two attempts. */
  drop(which: (item: T) => boolean): void {
    for (const [key, lane] of this.queues) {
      const [first] = lane.items;
      lane.drop(which);
      if (lane.items[0] !== first) this.unpause(key, lane);
      if (lane.isEmpty) this.forget(key);
    }
  }

  /** Starts no items until `release` is called. */
  hold(): void {
    this.isHeld = true;
  }

  release(): void {
    this.isHeld = false;
    this.turn();
  }

  /** Starts no more items. Resolves when none is in progress, or after `graceMs`. Idempotent. */
  async end(graceMs: number): Promise<void> {
    this.isHeld = true;
    for (const lane of this.queues.values()) lane.endPause?.();
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
    while (!this.isHeld && this.busy < this.options.concurrency) {
      const key = this.nextKey();
      if (key === undefined) return;
      const lane = this.queues.get(key);
      const item = lane?.items[0];
      if (lane?.needsLookup) void this.beginLookup(key, lane);
      else if (lane !== undefined && item !== undefined) void this.begin(key, lane, item);
    }
  }

  /**
   * Round-robin over groups, and over the keys of each group: a group with a thousand keys gets no more than one with a
   * single key.
   */
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

  private async begin(key: string, lane: KeyQueue<T>, item: T): Promise<void> {
    this.busy += 1;
    lane.inHand = item;
    const error = await this.attempt(item);
    this.busy -= 1;
    lane.inHand = undefined;
    if (error === undefined) this.finish(lane, item);
    else this.again(key, lane, item, error.reason);
    this.goOn(key, lane);
  }

  /** Starts a look-up, which uses the slot of an item. */
  private async beginLookup(key: string, lane: KeyQueue<T>): Promise<void> {
    this.busy += 1;
    const pauseMs = await lane.lookUp();
    this.busy -= 1;
    if (pauseMs !== undefined) this.pause(key, lane, pauseMs);
    this.goOn(key, lane);
  }

  private goOn(key: string, lane: KeyQueue<T>): void {
    // During a look-up the key may have been dropped and added again.
    if (this.queues.get(key) === lane) {
      if (lane.isEmpty) this.forget(key);
      // The key goes behind all others, so that one busy key never starves the others.
      else if (lane.endPause === undefined) this.queue(key);
    }
    if (this.busy === 0) for (const resolve of this.whenIdle.splice(0)) resolve();
    this.turn();
  }

  /** Runs the handler. A synchronous error of the handler is treated as a rejection. */
  private async attempt(item: T): Promise<{ readonly reason: unknown } | undefined> {
    try {
      await this.options.handle(item);
      return undefined;
    } catch (reason) {
      return { reason };
    }
  }

  private finish(lane: KeyQueue<T>, item: T): void {
    lane.pauseMs = firstPauseMs;
    lane.shift();
    this.options.done(item);
  }

  private again(key: string, lane: KeyQueue<T>, item: T, reason: unknown): void {
    if (this.options.rejected(item, reason, lane.pauseMs)) this.pause(key, lane, lane.nextPauseMs());
    else lane.shift();
  }

  private pause(key: string, lane: KeyQueue<T>, ms: number): void {
    if (this.queues.get(key) !== lane) return;
    lane.endPause = this.options.clock.after(ms, () => {
      lane.endPause = undefined;
      this.queue(key);
      this.turn();
    });
  }

  private unpause(key: string, lane: KeyQueue<T>): void {
    lane.pauseMs = firstPauseMs;
    if (lane.endPause === undefined) return;
    lane.endPause();
    lane.endPause = undefined;
    this.queue(key);
  }

  private forget(key: string): void {
    this.queues.get(key)?.endPause?.();
    this.queues.delete(key);
    this.ready.get(groupOf(key))?.delete(key);
  }
}

/** Returns the text up to the first slash, including it. */
const groupOf = (key: string) => key.slice(0, key.indexOf('/') + 1);
