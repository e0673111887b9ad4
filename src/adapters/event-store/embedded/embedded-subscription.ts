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
  /** Hears why a read or the handler failed. Must not throw. */
  onError(error: unknown): void;
}

/**
 * Follows the log from a position for as long as it is not stopped. Between looking at the head and going to sleep
 * nothing else can run, so no commit is slept through.
 */
export class EmbeddedSubscription implements Subscription {
  position: number;
  /** Looked through so far; ahead of `position` while nothing matched and the head is not reached. */
  private scanned: number;
  /** Read, and not yet taken: a handler that rejects gets the very same again. */
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
    // Not before the caller holds the subscription that its handler may want to look at.
    this.done = Promise.resolve().then(() => this.follow());
  }

  /** To be called after every commit, before the writers hear of it: then the handler hears of it first. */
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
        // Rejects when the subscription is stopped meanwhile, which ends the pause and is no fault.
        await setTimeout(pause, undefined, { ref: false, signal }).catch(() => undefined);
        pause = Math.min(pause * 2, longestPauseMs);
      }
    }
  }

  /** Calls the handler in its caller's own turn. What was passed over is told once, at the end of the log. */
  private async take({ events, upTo, live }: Stretch): Promise<void> {
    if (events.length > 0 || upTo >= this.log.head()) {
      await this.subscriber.handle(events, upTo);
      this.position = upTo;
    }
    this.scanned = upTo;
    this.pending = undefined;
    // A long history must not keep everything else off the main thread.
    if (!live) await setImmediate();
  }

  private sleep(): Promise<void> {
    return new Promise((resolve) => {
      this.wakeUp = resolve;
    });
  }
}
