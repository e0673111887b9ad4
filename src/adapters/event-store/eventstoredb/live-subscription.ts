import type { ClientReadableStream } from '@grpc/grpc-js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { LiveFeed, LiveSink } from '../log-reader/log-source.js';
import type { Connection } from './connection.js';
import { eventStoreUnavailable, isUnknownPosition, StreamEnded } from './errors.js';
import type { EventReader } from './event-reader.js';
import { commitPosition } from './position.js';
import type { ReadResp } from './protocol.js';
import { subscriptionRequest } from './read-requests.js';
import { recordedEventOf } from './recorded-event.js';

const window = 1_000;
const firstPauseMs = 100;
/** Short, so that subscribers continue within a second after the store is available again. */
const longestPauseMs = 800;

export interface LiveParts {
  readonly connection: Connection;
  readonly reader: EventReader;
  readonly heartbeatMs: number;
  onError(error: unknown): void;
}

/**
 * A quiet log looks like a dead stream, so if nothing arrives between two heartbeats, the log itself is read. If the
 * log contains an event that the stream should have sent and does not send by the next heartbeat, another stream is
 * opened.
 */
export class LiveSubscription implements LiveFeed {
  private upTo: number;
  /**
   * Position reported to the sink, at most `upTo`. With a namespace, it is always the position of one of our events,
   * like the store's head.
   */
  private reported: number;
  private events: RecordedEvent[] = [];
  private size = 0;
  private isDue = false;
  private isClosed = false;
  private heard = false;
  private pause = firstPauseMs;
  private retry: NodeJS.Timeout | undefined;
  private stream: ClientReadableStream<ReadResp> | undefined;
  private readonly heartbeat: NodeJS.Timeout;
  private isLooking = false;
  private ending: NodeJS.Timeout | undefined;
  private expected: number | undefined;

  constructor(
    private readonly parts: LiveParts,
    after: number,
    private readonly sink: LiveSink,
  ) {
    this.upTo = after;
    this.reported = after;
    this.heartbeat = setInterval(() => this.beat(), parts.heartbeatMs).unref();
    void this.open();
  }

  /**
   * Looks for the log's end after a few milliseconds, so that subscribers that join at the same time share the look-up.
   * Without this call, the end would be reported only after the next heartbeat.
   */
  reportEnd(): void {
    this.ending ??= setTimeout(() => {
      this.ending = undefined;
      if (this.stream !== undefined && !this.isLooking) this.look(this.stream).catch(() => undefined);
    }, 5).unref();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.ending);
    clearInterval(this.heartbeat);
    clearTimeout(this.retry);
    this.drop();
  }

  private async open(): Promise<void> {
    this.expected = undefined;
    this.heard = true;
    try {
      const from = this.upTo < 0 ? 'start' : this.upTo;
      const stream = await this.parts.connection.read(subscriptionRequest(from, {}, window, this.parts.reader.names));
      if (this.isClosed) return cancel(stream);
      this.stream = stream;
      stream.on('data', (response: ReadResp) => this.receive(stream, response));
      stream.on('error', (error) => this.fail(error, stream));
      stream.on('end', () => this.fail(new StreamEnded('The server ended the subscription.'), stream));
    } catch (error) {
      this.fail(error, undefined);
    }
  }

  private receive(stream: ClientReadableStream<ReadResp>, response: ReadResp): void {
    this.heard = true;
    this.pause = firstPauseMs;
    try {
      const read = response.getEvent();
      const event = read === undefined ? undefined : recordedEventOf(read, this.parts.reader.names);
      if (event !== undefined && event.position > this.upTo) {
        this.upTo = event.position;
        this.reported = event.position;
        this.events.push(event);
        this.size += read?.getEvent()?.getData_asU8().length ?? 0;
        this.scheduleFlush();
      }
      const checkpoint = response.getCheckpoint();
      if (checkpoint !== undefined) this.advanceTo(checkpointOf(checkpoint));
    } catch (error) {
      this.fail(error, stream);
    }
  }

  private fail(error: unknown, stream: ClientReadableStream<ReadResp> | undefined): void {
    if (this.isClosed || stream !== this.stream) return;
    this.drop();
    this.flush();
    if (this.isClosed) return;
    if (isUnknownPosition(error)) {
      this.close();
      this.sink.lost();
      return;
    }
    this.parts.onError(eventStoreUnavailable(error));
    this.retry = setTimeout(() => this.open(), this.pause).unref();
    this.pause = Math.min(this.pause * 2, longestPauseMs);
  }

  private drop(): void {
    if (this.stream !== undefined) cancel(this.stream);
    this.stream = undefined;
  }

  private advanceTo(position: number): void {
    if (position <= this.upTo) return;
    this.upTo = position;
    if (this.parts.reader.names.areSetApart) return;
    this.reported = position;
    this.scheduleFlush();
  }

  private scheduleFlush(): void {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => this.flush());
  }

  private flush(): void {
    if (!this.isDue || this.isClosed) return;
    this.isDue = false;
    const { events, size } = this;
    this.events = [];
    this.size = 0;
    this.sink.push(events, this.reported, size);
  }

  private beat(): void {
    const { stream, heard } = this;
    this.heard = false;
    if (stream === undefined || heard || this.isLooking) return;
    this.look(stream)
      .then((next) => {
        const isSilent = this.expected !== undefined && this.upTo < this.expected;
        if (isSilent) this.fail(new StreamEnded('The server did not send an event of the subscription.'), stream);
        else this.expected = next;
      })
      .catch((error: unknown) => {
        if (!this.heard) this.fail(error, stream);
      });
  }

  /**
   * Reads the log. Resolves to the position of the next event that the stream should send, or to undefined if there is
   * none.
   */
  private async look(stream: ClientReadableStream<ReadResp>): Promise<number | undefined> {
    const { reader } = this.parts;
    this.isLooking = true;
    try {
      const head = await reader.last();
      if (head <= this.upTo) return undefined;
      const next = await reader.next(this.upTo, {});
      if (stream !== this.stream || this.isClosed) return undefined;
      if (next !== undefined && next.position <= head) return next.position;
      this.advanceTo(head);
      return undefined;
    } finally {
      this.isLooking = false;
    }
  }
}

/**
 * Returns -1 for a checkpoint that is not at an event and must be ignored. While catching up, the server also sends
 * checkpoints with the prepare position 0. Their commit position is the log's next one, at which an event can still be
 * written.
 */
function checkpointOf(checkpoint: ReadResp.Checkpoint): number {
  const isEvent = checkpoint.getCommitPosition() === checkpoint.getPreparePosition();
  return isEvent ? commitPosition(checkpoint.getCommitPosition()) : -1;
}

function cancel(stream: ClientReadableStream<ReadResp>): void {
  stream.removeAllListeners('data');
  stream.cancel();
}
