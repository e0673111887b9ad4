import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ClientReadableStream } from '@grpc/grpc-js';
import type { RecordedEvent } from '../../../kernel/event.js';
import type { EventFilter } from '../../../ports/event-store.port.js';
import { positionOf } from './position.js';
import { recordedEventOf } from './recorded-event.js';
import { matches } from './server-filter.js';
import { StreamEnded } from './trouble.js';

export interface Batch {
  readonly events: readonly RecordedEvent[];
  readonly upTo: number;
}

const largestBatch = 500;
/** What is kept for a handler that is slower than the server; beyond it the server has to wait. */
const most = { events: 1_000, bytes: 8 * 1024 * 1024 };

/** One subscription stream of the server, from a position on, until it fails. Keeps what it hears until it is taken. */
export class SubscriptionFeed {
  /** Everything up to here was heard or passed over. */
  upTo: number;
  /** Messages heard so far, of whatever kind. */
  heard = 0;
  /** The server says that there is nothing more in the log for now. */
  caughtUp = false;
  /** Everything before here was looked at; no event need stand here. */
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

  /** @throws what the stream failed with, once all that came before was taken. */
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

  /** Nothing that matches stands between what was heard and this position. */
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
   * Only where both numbers are the same does a checkpoint name an event. While it searches history the server also
   * says (next, 0): everything before `next` was looked at. An event may come to stand at `next` itself, and whoever
   * goes on after it would never see that one.
   */
  private hearCheckpoint(checkpoint: ReadResp.Checkpoint): void {
    const commit = positionOf(checkpoint.getCommitPosition());
    if (checkpoint.getCommitPosition() === checkpoint.getPreparePosition()) this.upTo = Math.max(this.upTo, commit);
    else this.lookedBefore = Math.max(this.lookedBefore, commit);
  }
}
