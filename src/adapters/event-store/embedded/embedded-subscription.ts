import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Subscriber, Subscription } from '../../../ports/event-store.port.js';
import type { Stretch } from './event-reader.js';

const firstPauseMs = 100;
const longestPauseMs = 5_000;

/** What a subscription needs of the log. */
export interface Followed {
  /** Position of the last event that is known to be committed. */
  head(): number;
  /** The next matches after a position that is before the head. */
  read(after: number): Stretch;
  /** Called with errors of reads or the handler. Must not throw. */
  onError(error: unknown): void;
}

/**
 * Follows the log from a position until it is stopped. Nothing else can run between reading the head and going to sleep,
 * so no commit is missed.
 */
export class EmbeddedSubscription implements Subscription {
  position: number;
  /** Searched so far; ahead of `position` while nothing matched and the head is not reached. */
  private scanned: number;
  /** Read but not yet handled: a handler that rejects gets the same batch again. */
  private pending: Stretch | undefined;
  private readonly stopping = new AbortController();
  private readonly done: Promise<void>;
  private wakeUp = (): void => undefined;

  constructor(
    private readonly log: Followed,
    private readonly subscriber: Subscriber,
  ) {
    this.position = subscriber.after;
    this.scanned = subscriber.after;
    // Starts later, so that the caller has the subscription before its handler is called.
    this.done = Promise.resolve().then(() => this.follow());
  }

  /** Call after every commit and before the appends resolve, so that handlers come first. */
  wake(): void {
    this.wakeUp();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.wakeUp();
    await this.done;
  }

  private async follow(): Promise<void> {
    const { signal } = this.stopping;
    for (let pause = firstPauseMs; !signal.aborted; ) {
      try {
        if (this.pending === undefined && this.scanned < this.log.head()) this.pending = this.log.read(this.scanned);
        if (this.pending === undefined) await this.sleep();
        else await this.take(this.pending);
        pause = firstPauseMs;
      } catch (error) {
        this.log.onError(error);
        // Rejects when the subscription is stopped; that ends the pause and is not an error.
        await setTimeout(pause, undefined, { ref: false, signal }).catch(() => undefined);
        pause = Math.min(pause * 2, longestPauseMs);
      }
    }
  }

  /** Calls the handler in the same turn. Skipped events are reported once, at the end of the log. */
  private async take({ events, upTo, live }: Stretch): Promise<void> {
    if (events.length > 0 || upTo >= this.log.head()) {
      await this.subscriber.handle(events, upTo);
      this.position = upTo;
    }
    this.scanned = upTo;
    this.pending = undefined;
    // A long history must not block the main thread.
    if (!live) await setImmediate();
  }

  private sleep(): Promise<void> {
    return new Promise((resolve) => {
      this.wakeUp = resolve;
    });
  }
}
