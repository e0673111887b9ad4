import { setTimeout } from 'node:timers/promises';
import type { Subscriber, Subscription } from '../../../ports/event-store.port.js';
import { unavailable } from './errors.js';
import { subscriptionRequest } from './read-requests.js';
import { type Batch, SubscriptionFeed } from './subscription-feed.js';
import { type SubscriptionParts, SubscriptionWatch } from './subscription-watch.js';

const firstPauseMs = 100;
const longestPauseMs = 5_000;

/**
 * After how many events the server reports a checkpoint. History is searched in large steps; live events are reported one
 * by one, because writers wait until every reader has passed what they wrote.
 */
const window = { history: 500, live: 1 };

/** Follows the log from a position for as long as it is not stopped, over any number of the server's streams. */
export class CatchUpSubscription implements Subscription {
  position: number;
  private feed: SubscriptionFeed | undefined;
  private mode: keyof typeof window = 'history';
  /** Taken from the feed but not yet handled: a handler that rejects gets the same batch again. */
  private pending: Batch | undefined;
  private readonly watch: SubscriptionWatch;
  private readonly stopping = new AbortController();
  private readonly stopped: Promise<void>;
  private readonly done: Promise<void>;
  private wakeUp = (): void => undefined;

  constructor(
    private readonly parts: SubscriptionParts,
    private readonly subscriber: Subscriber,
  ) {
    this.position = subscriber.after;
    const { signal } = this.stopping;
    this.stopped = new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    this.watch = new SubscriptionWatch(parts, subscriber, {
      feed: () => this.feed,
      live: () => this.mode === 'live',
      startOver: (feed) => this.startOver(feed),
    });
    // Starts later, so that the caller has the subscription before its handler is called.
    this.done = Promise.resolve().then(() => this.follow());
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
        this.pending ??= await this.next();
        if (this.pending === undefined || signal.aborted) continue;
        await this.subscriber.handle(this.pending.events, this.pending.upTo);
        this.position = this.pending.upTo;
        this.pending = undefined;
        pause = firstPauseMs;
      } catch (error) {
        this.parts.onError(unavailable(error));
        // Rejects when the subscription is stopped; that ends the pause and is not an error.
        await setTimeout(pause, undefined, { ref: false, signal }).catch(() => undefined);
        pause = Math.min(pause * 2, longestPauseMs);
      }
    }
    this.watch.stop();
    this.drop();
  }

  /** Undefined when there is nothing yet; call again. @throws when the feed failed; the next call opens a new one. */
  private async next(): Promise<Batch | undefined> {
    const feed = this.feed ?? (await this.open());
    if (feed === undefined) return undefined;
    try {
      const batch = feed.take();
      if (batch !== undefined) return batch;
    } catch (error) {
      this.mode = 'history';
      this.drop();
      throw error;
    }
    if (feed.caughtUp && this.mode === 'history') {
      this.mode = 'live';
      this.drop();
      return undefined;
    }
    if (feed.caughtUp) this.watch.caughtUp(feed);
    await new Promise<void>((resolve) => {
      this.wakeUp = resolve;
    });
    return undefined;
  }

  private async open(): Promise<SubscriptionFeed | undefined> {
    const from = this.position < 0 ? 'start' : this.position;
    const opening = this.parts.connection.read(subscriptionRequest(from, this.subscriber, window[this.mode]));
    const stream = await Promise.race([opening, this.stopped]);
    if (stream === undefined) {
      opening.then((late) => late.cancel()).catch(() => undefined);
      return undefined;
    }
    this.feed = new SubscriptionFeed(stream, this.position, this.subscriber, () => this.wakeUp());
    this.watch.begin();
    return this.feed;
  }

  /** Drops a feed that is silent or too slow; a new one catches up in large steps. */
  private startOver(feed: SubscriptionFeed): void {
    if (feed !== this.feed) return;
    this.mode = 'history';
    this.drop();
    this.wakeUp();
  }

  private drop(): void {
    this.feed?.cancel();
    this.feed = undefined;
  }
}
