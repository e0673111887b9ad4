import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ClientReadableStream } from '@grpc/grpc-js';
import type { RecordedEvent } from '../../../kernel/event.js';
import type { EventFilter } from '../../../ports/event-store.port.js';
import { StreamEnded } from './errors.js';
import { positionOf } from './position.js';
import { recordedEventOf } from './recorded-event.js';
import { matches } from './server-filter.js';

export interface Batch {
  readonly events: readonly RecordedEvent[];
  readonly upTo: number;
}

const largestBatch = 500;
/** How much is buffered for a slow handler; beyond it the server has to wait. */
const most = { events: 1_000, bytes: 8 * 1024 * 1024 };

/** One subscription stream of the server, from a position until it fails. Buffers events until they are taken. */
export class SubscriptionFeed {
  /** Everything up to here was received or skipped. */
  upTo: number;
  /** Number of messages received, of any kind. */
  heard = 0;
  /** The server says that there is nothing more in the log for now. */
  caughtUp = false;
  /** Everything before this position was searched; there may be no event at the position itself. */
  lookedBefore = -1;
  private failure: { readonly error: unknown } | undefined;
  private readonly events: RecordedEvent[] = [];
  private bytes = 0;
  private lastEvent: number;
  private taken: number;

  /** @param changed is called whenever there may be something to take, or a failure. */
  constructor(
    private readonly stream: ClientReadableStream<ReadResp>,
    after: number,
    private readonly filter: EventFilter,
    private readonly changed: () => void,
  ) {
    this.upTo = after;
    this.lastEvent = after;
    this.taken = after;
    stream.on('data', (response: ReadResp) => this.hear(response));
    stream.on('error', (error) => this.fail(error));
    stream.on('end', () => this.fail(new StreamEnded('The server ended the subscription.')));
  }

  get paused(): boolean {
    return this.stream.isPaused();
  }

  get empty(): boolean {
    return this.events.length === 0 && this.upTo <= this.taken;
  }

  /** @throws the stream's error, after everything received before it was taken */
  take(): Batch | undefined {
    if (this.empty) {
      if (this.failure !== undefined) throw this.failure.error;
      return undefined;
    }
    const events = this.events.splice(0, largestBatch);
    const upTo = this.events.length > 0 ? (events.at(-1)?.position ?? this.taken) : this.upTo;
    this.taken = upTo;
    if (this.events.length === 0) this.bytes = 0;
    if (this.paused && this.events.length <= most.events / 2) this.stream.resume();
    return { events, upTo };
  }

  /** There is no matching event between the last one received and this position. */
  pass(position: number): void {
    if (position <= this.upTo) return;
    this.upTo = position;
    this.changed();
  }

  fail(error: unknown): void {
    this.failure ??= { error };
    this.changed();
  }

  cancel(): void {
    this.stream.removeAllListeners('data');
    this.stream.cancel();
  }

  private hear(response: ReadResp): void {
    this.heard += 1;
    if (response.hasCaughtUp()) this.caughtUp = true;
    try {
      const event = response.getEvent();
      if (event !== undefined) this.hearEvent(event);
      const checkpoint = response.getCheckpoint();
      if (checkpoint !== undefined) this.hearCheckpoint(checkpoint);
    } catch (error) {
      this.stream.pause();
      this.fail(error);
    }
    this.changed();
  }

  private hearEvent(read: ReadResp.ReadEvent): void {
    const event = recordedEventOf(read);
    if (event === undefined || event.position <= this.lastEvent) return;
    this.lastEvent = event.position;
    this.upTo = Math.max(this.upTo, event.position);
    if (!matches(this.filter, event)) return;
    this.events.push(event);
    this.bytes += read.getEvent()?.getData_asU8().length ?? 0;
    if (this.events.length >= most.events || this.bytes >= most.bytes) this.stream.pause();
  }

  /**
   * A checkpoint names an event only if both numbers are equal. While searching history, the server also sends (next, 0):
   * everything before `next` was searched. An event may later be written at `next` itself, so continuing after `next`
   * would miss it.
   */
  private hearCheckpoint(checkpoint: ReadResp.Checkpoint): void {
    const commit = positionOf(checkpoint.getCommitPosition());
    if (checkpoint.getCommitPosition() === checkpoint.getPreparePosition()) this.upTo = Math.max(this.upTo, commit);
    else this.lookedBefore = Math.max(this.lookedBefore, commit);
  }
}
