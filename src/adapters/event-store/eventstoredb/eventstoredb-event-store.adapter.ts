import type { RecordedEvent } from '../../../kernel/event/event.js';
import {
  type Appended,
  type AppendRequest,
  EventStore,
  EventStoreUnavailable,
  type LogSnapshot,
  type ReadAllOptions,
  type ReadStreamOptions,
  type Subscriber,
  type Subscription,
} from '../../../ports/event-store.port.js';
import { LogReader } from '../log-reader/log-reader.js';
import { appendBytesOf } from './append-messages.js';
import { Appender } from './appender.js';
import { Connection } from './connection.js';
import { eventStoreUnavailable } from './errors.js';
import { EventReader } from './event-reader.js';
import { EventStoreDbSnapshot } from './eventstoredb-snapshot.js';
import { type LiveParts, LiveSubscription } from './live-subscription.js';
import { LogPages } from './log-pages.js';
import { RecentIds } from './recent-ids.js';
import { StreamNames } from './stream-names.js';
import { StreamRetention } from './stream-retention.js';

export interface EventStoreDbOptions {
  /** `esdb://…` or `esdb+discover://…`, with user, password and TLS options. Must not be logged or shown. */
  readonly url: string;
  /** Prefix of all stream names, so that several installations can share a server. Default: none. */
  readonly namespace?: string;
  /** Called with errors of a subscription's stream or handler, before the pause and the retry. Must not throw. */
  readonly onError?: (error: unknown) => void;
  /** Time limit for a call or for a piece of a longer response. Default: ten seconds. */
  readonly deadlineMs?: number;
  /** Time without a message after which a live subscription checks the log. Default: three seconds. */
  readonly heartbeatMs?: number;
}

/**
 * Uses EventStoreDB 22.10 or later or KurrentDB. An append resolves once a majority of the cluster has it. Positions
 * are commit positions.
 */
export class EventStoreDbEventStore extends EventStore {
  private readonly connection: Connection;
  private readonly reader: EventReader;
  private readonly appender: Appender;
  private readonly retention: StreamRetention;
  private readonly recent = new RecentIds();
  private readonly log: LogReader;
  private closed = false;

  /** Does not connect yet. @throws Error with one sentence if the address cannot be used */
  constructor({
    url,
    namespace,
    onError = () => undefined,
    deadlineMs = 10_000,
    heartbeatMs = 3_000,
  }: EventStoreDbOptions) {
    super();
    this.connection = new Connection(url, deadlineMs);
    this.reader = new EventReader(this.connection, new StreamNames(namespace));
    this.appender = new Appender(this.connection, this.reader, this.recent);
    this.retention = new StreamRetention(this.connection, this.reader);
    this.log = this.readerOfLog({ connection: this.connection, reader: this.reader, heartbeatMs, onError });
  }

  override async append(requests: readonly AppendRequest[]): Promise<readonly Appended[]> {
    const all = requests.map((request) => appendBytesOf(request, this.reader.names));
    return this.reach(async () => {
      const appended: Appended[] = [];
      for (const request of all) appended.push(await this.appender.append(request));
      return appended;
    });
  }

  override async readStream(stream: string, options: ReadStreamOptions = {}): Promise<readonly RecordedEvent[]> {
    const events = await this.reach(() => this.reader.stream(stream, options));
    this.recent.add(stream, events);
    return events;
  }

  override async readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    return this.reach(() => this.reader.all(options));
  }

  override async head(): Promise<number> {
    return (await this.reach(() => this.reader.ends())).head;
  }

  override subscribe(subscriber: Subscriber): Subscription {
    this.mustBeOpen();
    return this.log.subscribe(subscriber);
  }

  /**
   * Reads of the stream omit the truncated events at once, but reads of the log return them until the server scavenges.
   */
  override async truncate(stream: string, beforeRevision: number): Promise<void> {
    await this.reach(() => this.retention.truncate(stream, beforeRevision));
  }

  /**
   * The snapshot holds no resources. The server must not scavenge while it is in use, because scavenging removes pruned
   * events from the log.
   */
  override async snapshot(workspaceId?: string): Promise<LogSnapshot> {
    return this.reach(() => EventStoreDbSnapshot.take(this.reader, workspaceId));
  }

  /** Reads from the leader, which alone accepts writes. */
  override async check(): Promise<void> {
    await this.reach(() => this.reader.last());
  }

  override async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.log.close();
    await this.connection.close();
  }

  private readerOfLog(parts: LiveParts): LogReader {
    const pages = new LogPages(parts.reader);
    return new LogReader({
      page: (after, filter) => pages.after(after, filter),
      live: (after, sink) => new LiveSubscription(parts, after, sink),
      onError: (error) => parts.onError(eventStoreUnavailable(error)),
    });
  }

  private async reach<Result>(work: () => Promise<Result>): Promise<Result> {
    this.mustBeOpen();
    try {
      return await work();
    } catch (error) {
      throw this.closed ? closedError(error) : eventStoreUnavailable(error);
    }
  }

  private mustBeOpen(): void {
    if (this.closed) throw closedError();
  }
}

function closedError(cause?: unknown): Error {
  return new EventStoreUnavailable('The event store is closed: the service is stopping.', { cause });
}
