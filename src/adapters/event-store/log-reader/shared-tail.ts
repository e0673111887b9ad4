import type { RecordedEvent } from '../../../kernel/event/event.js';
import { EventFollowers } from './filters.js';
import type { Follower, FollowerSource } from './follower.js';
import type { LiveFeed, LiveSink, LogSource } from './log-source.js';

interface Round {
  readonly events: readonly RecordedEvent[];
  readonly upTo: number;
  readonly size: number;
}

const most = { events: 2_000, size: 8 * 1024 * 1024 };

/**
 * Holds recent events in memory for all followers. A follower that needs older events leaves the tail and reads them
 * from the log, so a stuck handler uses no memory and delays no other follower.
 */
export class SharedTail implements LiveSink, FollowerSource {
  private feed: LiveFeed | undefined;
  private readonly followers = new EventFollowers<Follower>();
  private rounds: Round[] = [];
  private sizes = { events: 0, size: 0 };
  /** `rounds` contains all events after `since`, up to and including `upTo`. Each round is the events of one `push`. */
  private since = -1;
  private upTo = -1;

  constructor(
    private readonly source: LogSource,
    private readonly elsewhere: FollowerSource,
  ) {}

  /**
   * Returns false if the follower must read history first.
   * @param end end of the log when the follower last read it. A tail without a feed begins at `end`, so it returns
   * false if `end` is undefined.
   */
  join(follower: Follower, end?: number): boolean {
    if (this.feed === undefined) {
      if (end === undefined) return false;
      this.since = end;
      this.upTo = end;
    }
    if (Math.max(follower.reached, end ?? -1) < this.since) return false;
    this.followers.add(follower);
    follower.moveTo(this);
    this.catchUp(follower);
    if (this.feed === undefined) this.feed = this.source.live(this.upTo, this);
    else this.feed.reportEnd();
    return true;
  }

  push(events: readonly RecordedEvent[], upTo: number, size: number): void {
    for (const event of events) this.followers.each(event, (follower) => follower.enqueue(event));
    this.upTo = upTo;
    if (events.length > 0) this.rounds.push({ events, upTo, size });
    else if (this.rounds.length === 0) this.since = upTo;
    this.sizes.events += events.length;
    this.sizes.size += size;
    const trimmed = this.trim();
    for (const follower of [...this.followers]) {
      if (trimmed && (follower.waitsSince ?? this.since) < this.since) this.dismiss(follower);
      else follower.reach(upTo, true);
    }
  }

  lost(): void {
    this.feed = undefined;
    for (const follower of [...this.followers]) this.dismiss(follower);
    this.forget();
  }

  /**
   * Must be called after events were pruned. Followers that have not handled all their queued events must read them
   * again.
   */
  reset(): void {
    this.forget();
    for (const follower of [...this.followers]) if (follower.waitsSince !== undefined) this.dismiss(follower);
  }

  resting(): void {
    // Does nothing, because the next `push` wakes the follower.
  }

  gone(follower: Follower): void {
    this.followers.delete(follower);
    this.closeIfEmpty();
  }

  private dismiss(follower: Follower): void {
    this.followers.delete(follower);
    follower.leaveFor(this.elsewhere);
    this.closeIfEmpty();
  }

  private catchUp(follower: Follower): void {
    const alone = new EventFollowers([follower]);
    for (const { events, upTo } of this.rounds) {
      if (upTo <= follower.reached) continue;
      for (const event of events) alone.each(event, () => follower.enqueue(event));
    }
    follower.reach(this.upTo, true);
  }

  private trim(): boolean {
    let dropped = 0;
    while (this.rounds.length - dropped > 1 && (this.sizes.events > most.events || this.sizes.size > most.size)) {
      const round = this.rounds[dropped];
      if (round === undefined) break;
      this.since = round.upTo;
      this.sizes.events -= round.events.length;
      this.sizes.size -= round.size;
      dropped += 1;
    }
    this.rounds.splice(0, dropped);
    return dropped > 0;
  }

  private forget(): void {
    this.rounds = [];
    this.sizes = { events: 0, size: 0 };
    this.since = this.upTo;
  }

  private closeIfEmpty(): void {
    if (this.followers.size > 0) return;
    this.feed?.close();
    this.feed = undefined;
    this.forget();
  }
}
