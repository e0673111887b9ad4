import type { EventFilter } from '../../../ports/event-store.port.js';
import type { Connection } from './connection.js';
import type { EventReader } from './event-reader.js';
import type { SubscriptionFeed } from './subscription-feed.js';

/** What a subscription works with. */
export interface SubscriptionParts {
  readonly connection: Connection;
  readonly reader: EventReader;
  readonly heartbeatMs: number;
  /** Hears why the stream or the handler failed. Must not throw. */
  onError(error: unknown): void;
}

/** What the watch needs of the subscription. */
export interface Watched {
  feed(): SubscriptionFeed | undefined;
  live(): boolean;
  /** Drops this feed, if it is still in use, and continues from the subscription's position. */
  startOver(feed: SubscriptionFeed): void;
}

/**
 * The heartbeat of a subscription. A quiet log and a dead stream look the same, so if nothing was received between two
 * beats the log itself is read. Events that the filter skips move the subscription on. If the stream should have sent an
 * event and has not by the next beat, it is ended.
 */
export class SubscriptionWatch {
  private timer: NodeJS.Timeout | undefined;
  private settled: SubscriptionFeed | undefined;
  private heardBefore = 0;
  private headBefore = -1;
  /** Position of an event that the stream should have sent. */
  private owed: number | undefined;
  private looking = false;

  constructor(
    private readonly parts: SubscriptionParts,
    private readonly filter: EventFilter,
    private readonly subscription: Watched,
  ) {}

  begin(): void {
    this.timer ??= setInterval(() => this.beat(), this.parts.heartbeatMs).unref();
    this.heardBefore = 0;
    this.headBefore = -1;
    this.owed = undefined;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** The stream has sent all matching events, but may not have reported the last skipped ones. */
  caughtUp(feed: SubscriptionFeed): void {
    if (this.settled === feed) return;
    this.settled = feed;
    // If this fails, the next beat tries again.
    this.closeGap(feed).catch(() => undefined);
  }

  private beat(): void {
    const feed = this.subscription.feed();
    // The handler is slow; that is not the stream's fault.
    if (feed === undefined || feed.paused || this.looking) return;
    this.looking = true;
    this.look(feed)
      .catch((error: unknown) => {
        // If the server is unavailable, the stream is ended, unless it is still sending.
        if (feed.heard === this.heardBefore) feed.fail(error);
      })
      .finally(() => {
        this.heardBefore = feed.heard;
        this.looking = false;
      });
  }

  private async look(feed: SubscriptionFeed): Promise<void> {
    const heard = feed.heard > this.heardBefore;
    const behind = feed.upTo < this.headBefore;
    if (feed.lookedBefore > feed.upTo) feed.pass(await this.parts.reader.last(feed.lookedBefore));
    if (heard) {
      this.headBefore = await this.parts.reader.last();
      if (behind && this.subscription.live()) this.subscription.startOver(feed);
      return;
    }
    const owed = await this.closeGap(feed);
    if (owed !== undefined && this.owed !== undefined && feed.upTo < this.owed) this.subscription.startOver(feed);
    else this.owed = owed;
  }

  /** The position of an event that the stream has not sent yet; undefined if there is none. */
  private async closeGap(feed: SubscriptionFeed): Promise<number | undefined> {
    const { reader } = this.parts;
    const head = await reader.last();
    if (head <= feed.upTo) return undefined;
    const next = await reader.next(feed.upTo, this.filter);
    if (next !== undefined && next.position <= head) return next.position;
    feed.pass(head);
    return undefined;
  }
}
