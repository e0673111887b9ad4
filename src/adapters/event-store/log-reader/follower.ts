import { setImmediate, setTimeout } from 'node:timers/promises';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { EventFilter, Subscriber, Subscription } from '../../../ports/event-store.port.js';

const largestBatch = 1_000;
const firstPauseMs = 100;
/** So that waiting subscribers continue within a second of the store's return. */
const longestPauseMs = 800;

/** Where a follower gets its events. */
export interface Place {
  /** The follower has handled all its events and sleeps until it gets more. */
  resting(follower: Follower): void;
  /** The follower has stopped. */
  gone(follower: Follower): void;
}

interface Batch {
  readonly events: readonly RecordedEvent[];
  readonly upTo: number;
}

/** One subscription: delivers events to its subscriber, one call at a time, until it is stopped. */
export class Follower implements Subscription {
  readonly filter: EventFilter;
  position: number;
  /** Everything up to here was given to it, or does not match. */
  reached: number;
  private given: RecordedEvent[] = [];
  /** Everything up to here was handed to the handler. Ahead of `position` while the handler works. */
  private handed: number;
  /** The position before the oldest waiting event: `handed`, or later if nothing in between matched. */
  private passed: number;
  /** Handed over but not handled yet: a handler that rejects gets the same batch again. */
  private pending: Batch | undefined;
  /** The position is reported even without events. */
  private tells = false;
  private readonly stopping = new AbortController();
  private readonly done: Promise<void>;
  private wakeUp = (): void => undefined;

  constructor(
    private readonly subscriber: Subscriber,
    private place: Place,
    private readonly onError: (error: unknown) => void,
  ) {
    const { after, types, andMustUnderstand, categories, workspaceId } = subscriber;
    this.filter = {
      ...(types === undefined ? {} : { types }),
      ...(andMustUnderstand === undefined ? {} : { andMustUnderstand }),
      ...(categories === undefined ? {} : { categories }),
      ...(workspaceId === undefined ? {} : { workspaceId }),
    };
    this.position = after;
    this.reached = after;
    this.handed = after;
    this.passed = after;
    // Starts later, so that the caller has the subscription before its handler is called.
    this.done = Promise.resolve().then(() => this.follow());
  }

  /** The position from which the oldest waiting event would have to be read again. */
  get waitsSince(): number | undefined {
    return this.given.length === 0 ? undefined : this.passed;
  }

  moveTo(place: Place): void {
    this.place = place;
  }

  /** A sleeping follower then reports `resting` again. */
  wake(): void {
    this.wakeUp();
  }

  /** Adds a matching event; `reach` follows. Ignores events that were given before. */
  give(event: RecordedEvent): void {
    if (event.position > this.reached) this.given.push(event);
  }

  /** @param tell report the position to the subscriber even without events */
  reach(upTo: number, tell: boolean): void {
    this.reached = Math.max(this.reached, upTo);
    if (this.given.length === 0) this.passed = this.reached;
    this.tells ||= tell;
    if (this.hasMore) this.wakeUp();
  }

  /** Drops the waiting events. The follower gets them from the new source when it has handled the rest. */
  leaveFor(place: Place): void {
    this.given = [];
    this.reached = this.passed;
    this.tells = false;
    this.place = place;
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
      this.pending ??= this.take();
      if (this.pending === undefined) {
        await this.rest();
        continue;
      }
      try {
        await this.subscriber.handle(this.pending.events, this.pending.upTo);
        this.position = this.pending.upTo;
        this.pending = undefined;
        pause = firstPauseMs;
        // A long history must not block the main thread.
        if (this.given.length > 0) await setImmediate();
      } catch (error) {
        this.onError(error);
        // Rejects when the subscription is stopped, which ends the pause and is no error.
        await setTimeout(pause, undefined, { ref: false, signal }).catch(() => undefined);
        pause = Math.min(pause * 2, longestPauseMs);
      }
    }
    this.given = [];
    this.place.gone(this);
  }

  private get hasMore(): boolean {
    return this.given.length > 0 || (this.tells && this.reached > this.handed);
  }

  private take(): Batch | undefined {
    if (!this.hasMore) return undefined;
    const events = this.given.splice(0, this.subscriber.most ?? largestBatch);
    this.handed = this.given.length > 0 ? (events.at(-1)?.position ?? this.handed) : this.reached;
    this.passed = this.handed;
    if (this.given.length === 0) this.tells = false;
    return { events, upTo: this.handed };
  }

  /** Synchronous since the check for waiting events, so no wake-up is missed. */
  private async rest(): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.wakeUp = resolve;
    });
    this.place.resting(this);
    await woken;
  }
}
