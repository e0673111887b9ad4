import { setImmediate, setTimeout } from 'node:timers/promises';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { EventFilter, Subscriber, Subscription } from '../../../ports/event-store.port.js';

const largestBatch = 1_000;
const firstPauseMs = 100;
/** Whoever waits for a store goes on within a second of its return. */
const longestPauseMs = 800;

/** Where a follower gets its events from. */
export interface Place {
  /** The follower has handled all it was given, and sleeps until it gets more. */
  resting(follower: Follower): void;
  /** The follower has stopped. */
  gone(follower: Follower): void;
}

interface Batch {
  readonly events: readonly RecordedEvent[];
  readonly upTo: number;
}

/** One subscription: hands to its subscriber what it is given, one call at a time, until it is stopped. */
export class Follower implements Subscription {
  readonly filter: EventFilter;
  position: number;
  /** Everything up to here was given or is not for this subscriber. */
  reached: number;
  private given: RecordedEvent[] = [];
  /** Everything up to here was handed over. Ahead of `position` while the handler works. */
  private handed: number;
  /** What waits for the handler begins after this; `handed`, or further where nothing matched. */
  private passed: number;
  /** Handed over but not yet handled: a handler that rejects gets the same batch again. */
  private pending: Batch | undefined;
  /** The position is worth a batch without events. */
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

  /** The position from which the oldest event that waits for the handler would have to be read again. */
  get waitsSince(): number | undefined {
    return this.given.length === 0 ? undefined : this.passed;
  }

  moveTo(place: Place): void {
    this.place = place;
  }

  /** If it sleeps, it tells its place again that it does. */
  wake(): void {
    this.wakeUp();
  }

  /** An event that matches; `reach` follows. Events that were given before are passed over. */
  give(event: RecordedEvent): void {
    if (event.position > this.reached) this.given.push(event);
  }

  /** @param tell whether the subscriber hears of it even if no event was for it */
  reach(upTo: number, tell: boolean): void {
    this.reached = Math.max(this.reached, upTo);
    if (this.given.length === 0) this.passed = this.reached;
    this.tells ||= tell;
    if (this.hasMore) this.wakeUp();
  }

  /** Forgets what waits for the handler. The follower asks the new place for it when it has come so far. */
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
        // Rejects when the subscription is stopped; that ends the pause and is not an error.
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

  /** Nothing else runs between the look at what was given and this, so no event is slept through. */
  private async rest(): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.wakeUp = resolve;
    });
    this.place.resting(this);
    await woken;
  }
}
