import { setImmediate, setTimeout } from 'node:timers/promises';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { EventFilter, Subscriber, Subscription } from '../../../ports/event-store.port.js';

const largestBatch = 1_000;
const firstPauseMs = 100;
/** In milliseconds. Short, so that waiting subscribers continue within a second of the store's return. */
const longestPauseMs = 800;

/** Supplies a follower with events. */
export interface FollowerSource {
  /** Called when the follower has handled all its events and sleeps until it gets more. */
  resting(follower: Follower): void;
  /** Called when the follower has stopped. */
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
  /** Position up to which all matching events were given to it. */
  reached: number;
  private queued: RecordedEvent[] = [];
  /** Position up to which events were passed to the handler. Ahead of `position` while the handler works. */
  private handedUpTo: number;
  /** The position before the oldest waiting event: `handedUpTo`, or later if nothing in between matched. */
  private queuedAfter: number;
  /**
   * The batch that was passed to the handler but is not handled yet. If the handler rejects, it gets the same batch
   * again.
   */
  private pending: Batch | undefined;
  /** Whether the position is reported even without events. */
  private reportsPosition = false;
  private readonly stopping = new AbortController();
  private readonly done: Promise<void>;
  private wakeUp = (): void => undefined;

  constructor(
    private readonly subscriber: Subscriber,
    private source: FollowerSource,
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
    this.handedUpTo = after;
    this.queuedAfter = after;
    // Starts asynchronously, so that the caller has the subscription before its handler is called.
    this.done = Promise.resolve().then(() => this.follow());
  }

  /** The position from which the oldest waiting event would have to be read again. */
  get waitsSince(): number | undefined {
    return this.queued.length === 0 ? undefined : this.queuedAfter;
  }

  moveTo(source: FollowerSource): void {
    this.source = source;
  }

  /** Wakes the follower. If it was sleeping, it calls `resting` again. */
  wake(): void {
    this.wakeUp();
  }

  /** Adds a matching event; a call of `reach` must follow. Ignores events that were given before. */
  give(event: RecordedEvent): void {
    if (event.position > this.reached) this.queued.push(event);
  }

  /** @param report whether to report the position to the subscriber even without events */
  reach(upTo: number, report: boolean): void {
    this.reached = Math.max(this.reached, upTo);
    if (this.queued.length === 0) this.queuedAfter = this.reached;
    this.reportsPosition ||= report;
    if (this.hasMore) this.wakeUp();
  }

  /** Drops the waiting events. The follower gets them from the new source when it has handled its present batch. */
  leaveFor(source: FollowerSource): void {
    this.queued = [];
    this.reached = this.queuedAfter;
    this.reportsPosition = false;
    this.source = source;
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
        // Yields, because a long history must not block the main thread.
        if (this.queued.length > 0) await setImmediate();
      } catch (error) {
        this.onError(error);
        // The pause rejects when the subscription is stopped, which is no error.
        await setTimeout(pause, undefined, { ref: false, signal }).catch(() => undefined);
        pause = Math.min(pause * 2, longestPauseMs);
      }
    }
    this.queued = [];
    this.source.gone(this);
  }

  private get hasMore(): boolean {
    return this.queued.length > 0 || (this.reportsPosition && this.reached > this.handedUpTo);
  }

  private take(): Batch | undefined {
    if (!this.hasMore) return undefined;
    const events = this.queued.splice(0, this.subscriber.most ?? largestBatch);
    this.handedUpTo = this.queued.length > 0 ? (events.at(-1)?.position ?? this.handedUpTo) : this.reached;
    this.queuedAfter = this.handedUpTo;
    if (this.queued.length === 0) this.reportsPosition = false;
    return { events, upTo: this.handedUpTo };
  }

  /** Runs synchronously after the check for waiting events, so no wake-up is missed. */
  private async rest(): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.wakeUp = resolve;
    });
    this.source.resting(this);
    await woken;
  }
}
