import type { DatabaseSync } from 'node:sqlite';
import type { RecordedEvent } from '../../../kernel/event.js';
import {
  type Appended,
  type AppendOptions,
  type AppendRequest,
  EventStore,
  EventStoreUnavailable,
  type LogSnapshot,
  type ReadAllOptions,
  type ReadStreamOptions,
  type Subscriber,
  type Subscription,
} from '../../../ports/event-store.port.js';
import { GroupCommit } from '../../sqlite/group-commit.js';
import { openDatabase, openToRead } from '../../sqlite/open-database.js';
import { EmbeddedSnapshot } from './embedded-snapshot.js';
import { EmbeddedSubscription } from './embedded-subscription.js';
import { available, rethrowAsUnavailable } from './errors.js';
import { EventLog } from './event-log.js';
import { type RequestTexts, textsOf } from './event-texts.js';
import { eventsDatabase } from './schema.js';

export interface EmbeddedEventStoreOptions {
  readonly directory: string;
  /** Called with a subscriber's error before the pause and the next attempt. Must not throw. */
  readonly onError?: (error: unknown) => void;
  /** Gets the connection. Tests use it to simulate a full or read-only disk. */
  readonly onOpen?: (database: DatabaseSync) => void;
}

/** Long enough for several runs to share a write, short compared with a run. */
const patienceMs = 5;

/** How often a subscription checks for appends of other processes. */
const lookForOthersMs = 250;

/**
 * The log in one SQLite file, `events.db`. Everything runs on the main thread: a commit blocks it for one fsync and is
 * shared by all appends requested in the same turn of the event loop.
 */
export class EmbeddedEventStore extends EventStore {
  private readonly log: EventLog;
  private readonly appends: GroupCommit<readonly RequestTexts[], readonly Appended[]>;
  private readonly subscriptions = new Set<EmbeddedSubscription>();
  private readonly directory: string;
  private readonly onError: (error: unknown) => void;
  private lookingForOthers: NodeJS.Timeout | undefined;
  private closed = false;

  /** Opens or creates the file. @throws with one sentence when it cannot be used. */
  constructor({ directory, onError, onOpen }: EmbeddedEventStoreOptions) {
    super();
    this.directory = directory;
    this.onError = onError ?? (() => undefined);
    this.log = available(() => {
      const database = openDatabase({ ...eventsDatabase, directory });
      onOpen?.(database);
      return new EventLog(database);
    });
    this.appends = new GroupCommit((lists) => this.commit(lists));
  }

  /** The whole list is recorded, or nothing of it. */
  override async append(
    requests: readonly AppendRequest[],
    { mayBatch = false }: AppendOptions = {},
  ): Promise<readonly Appended[]> {
    this.mustBeOpen();
    return this.appends.submit(requests.map(textsOf), mayBatch ? patienceMs : 0);
  }

  override async readStream(stream: string, options: ReadStreamOptions = {}): Promise<readonly RecordedEvent[]> {
    this.mustBeOpen();
    return available(() => this.log.reader.stream(stream, options));
  }

  override async readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    this.mustBeOpen();
    return this.log.reader.all(options).catch(rethrowAsUnavailable);
  }

  override async head(): Promise<number> {
    this.mustBeOpen();
    return available(() => this.log.reader.head());
  }

  /** Handlers get an event before its append resolves. */
  override subscribe(subscriber: Subscriber): Subscription {
    this.mustBeOpen();
    const subscription = new EmbeddedSubscription(
      {
        head: () => this.log.head,
        read: (after) => available(() => this.log.read(after, subscriber)),
        onError: this.onError,
      },
      subscriber,
    );
    this.follow(subscription);
    return {
      get position() {
        return subscription.position;
      },
      stop: () => this.unfollow(subscription),
    };
  }

  override async truncate(stream: string, beforeRevision: number): Promise<void> {
    this.mustBeOpen();
    await this.log.prune(stream, beforeRevision).catch(rethrowAsUnavailable);
  }

  /** Holds a read transaction: until it is closed, the file's write-ahead log grows with every append. */
  override async snapshot(workspaceId?: string): Promise<LogSnapshot> {
    this.mustBeOpen();
    return available(
      () => new EmbeddedSnapshot(openToRead({ ...eventsDatabase, directory: this.directory }), workspaceId),
    );
  }

  override async check(): Promise<void> {
    this.mustBeOpen();
    available(() => this.log.tryToWrite());
  }

  /** Commits pending appends, waits for handlers in progress, and closes the file. May be repeated. */
  override async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.appends.flush();
    await Promise.all([...this.subscriptions].map((subscription) => this.unfollow(subscription)));
    this.log.close();
  }

  private commit(lists: readonly (readonly RequestTexts[])[]): readonly PromiseSettledResult<readonly Appended[]>[] {
    try {
      return available(() => this.log.record(lists, this.subscriptions.size > 0));
    } finally {
      // Also after a failure: the group may have noticed appends of another process.
      for (const subscription of this.subscriptions) subscription.wake();
    }
  }

  private follow(subscription: EmbeddedSubscription): void {
    this.subscriptions.add(subscription);
    this.lookingForOthers ??= setInterval(() => this.lookForOthers(), lookForOthersMs).unref();
  }

  private async unfollow(subscription: EmbeddedSubscription): Promise<void> {
    await subscription.stop();
    this.subscriptions.delete(subscription);
    if (this.subscriptions.size > 0) return;
    clearInterval(this.lookingForOthers);
    this.lookingForOthers = undefined;
  }

  private lookForOthers(): void {
    try {
      if (!this.log.noticeOthers()) return;
      for (const subscription of this.subscriptions) subscription.wake();
    } catch (error) {
      this.onError(error);
    }
  }

  private mustBeOpen(): void {
    if (this.closed) throw new EventStoreUnavailable('The event store is closed: the service is stopping.');
  }
}
