import { setImmediate, setTimeout } from 'node:timers/promises';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { EventFilter, Subscriber, Subscription } from '../../../ports/event-store.port.js';

const largestBatch = 1_000;
const firstPauseMs = 100;
/** Short, so that subscribers continue within a second after the store is available again. */
const longestPauseMs = 800;

export interface FollowerSource {
  /** Called when the follower has handled all its events and waits for more. */
  resting(follower: Follower): void;
  gone(follower: Follower): void;
}

interface Batch {
  readonly events: readonly RecordedEvent[];
  readonly upTo: number;
}

export class Follower implements Subscription {
  readonly filter: EventFilter;
  position: number;
  /** Position up to which all matching events have been passed to `enqueue`. */
  reached: number;
  private queued: RecordedEvent[] = [];
  /** Position up to which events were passed to the handler. While the handler works, it is ahead of `position`. */
  private handedUpTo: number;
  /**
   * If the queued events are dropped, reading resumes after this position. It is `handedUpTo`, or a later position if
   * no event up to there matched.
   */
  private queuedAfter: number;
  private pending: Batch | undefined;
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
    this.done = Promise.resolve().then(() => this.follow());
  }

  get waitsSince(): number | undefined {
    return this.queued.length === 0 ? undefined : this.queuedAfter;
  }

  moveTo(source: FollowerSource): void {
    this.source = source;
  }

  wake(): void {
    this.wakeUp();
  }

  /** Ignores events up to `reached`. The source must call `reach` afterwards. */
  enqueue(event: RecordedEvent): void {
    if (event.position > this.reached) this.queued.push(event);
  }

  /** @param report whether to report the position to the subscriber even if there are no events */
  reach(upTo: number, report: boolean): void {
    this.reached = Math.max(this.reached, upTo);
    if (this.queued.length === 0) this.queuedAfter = this.reached;
    this.reportsPosition ||= report;
    if (this.hasMore) this.wakeUp();
  }

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
        if (this.queued.length > 0) await setImmediate();
      } catch (error) {
        this.onError(error);
        // The pause rejects if the subscription is stopped, which is not an error.
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

  /**
   * Must be called in the same turn of the event loop as the check for queued events. Otherwise it could miss a
   * wake-up.
   */
  private async rest(): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.wakeUp = resolve;
    });
    this.source.resting(this);
    await woken;
  }
}
