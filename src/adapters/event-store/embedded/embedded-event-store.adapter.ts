import type { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import type { RecordedEvent } from '../../../kernel/event/event.js';
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
import { ChangeCount } from '../../sqlite/change-count.js';
import { GroupCommit } from '../../sqlite/group-commit.js';
import { openDatabase, openToRead } from '../../sqlite/open-database.js';
import { LogReader } from '../log-reader/log-reader.js';
import { EmbeddedLogSource } from './embedded-log-source.js';
import { EmbeddedSnapshot } from './embedded-snapshot.js';
import { available, rethrowAsUnavailable } from './errors.js';
import { EventLog } from './event-log.js';
import { type RequestTexts, textsOf } from './event-texts.js';
import { eventsDatabase } from './schema.js';

export interface EmbeddedEventStoreOptions {
  readonly directory: string;
  /** Called with errors of subscribers and of background work, before each retry. Must not throw. */
  readonly onError?: (error: unknown) => void;
  /**
   * For tests. Called with the connection for reading. If set, all writes use this connection too, and no writer thread
   * is started.
   */
  readonly onOpen?: (database: DatabaseSync) => void;
  readonly onThread?: (thread: Worker) => void;
  readonly maxPages?: number;
}

/**
 * Longest time, in milliseconds, for which an append with `mayBatch` waits for others to share its commit. Short
 * compared with the run of a customer's function.
 */
const patienceMs = 5;

const lookForOthersMs = 250;

/** The main thread reads over its own connection. Appends that arrive during a commit share the next commit. */
export class EmbeddedEventStore extends EventStore {
  private readonly log: EventLog;
  private readonly appends: GroupCommit<readonly RequestTexts[], readonly Appended[]>;
  private readonly source: EmbeddedLogSource;
  private readonly reader: LogReader;
  private readonly changes: ChangeCount;
  private readonly directory: string;
  private readonly onError: (error: unknown) => void;
  private lookingForOthers: NodeJS.Timeout | undefined;
  private closed = false;

  /** @throws Error with one sentence if the file cannot be used */
  constructor({ directory, onError, onOpen, ...ofThread }: EmbeddedEventStoreOptions) {
    super();
    this.directory = directory;
    this.onError = onError ?? (() => undefined);
    [this.log, this.changes] = available(() => {
      const database = openDatabase({ ...eventsDatabase, directory });
      onOpen?.(database);
      const log = new EventLog({
        database,
        thread: onOpen === undefined ? { ...ofThread, directory } : undefined,
        isFollowed: () => this.reader.isUsed,
        onMoved: () => {
          this.changes.written();
          this.source.wake();
        },
        onError: this.onError,
      });
      return [log, new ChangeCount(database)];
    });
    this.appends = new GroupCommit((lists) => this.commit(lists));
    this.source = new EmbeddedLogSource(this.log, this.onError);
    this.reader = new LogReader(this.source);
  }

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

  override version(): number {
    this.mustBeOpen();
    return available(() => this.changes.now());
  }

  override async head(): Promise<number> {
    this.mustBeOpen();
    return available(() => this.log.reader.head());
  }

  override subscribe(subscriber: Subscriber): Subscription {
    this.mustBeOpen();
    this.lookingForOthers ??= setInterval(() => this.lookForOthers(), lookForOthersMs).unref();
    return this.reader.subscribe(subscriber);
  }

  override async truncate(stream: string, beforeRevision: number): Promise<void> {
    this.mustBeOpen();
    await this.log.prune(stream, beforeRevision).catch(rethrowAsUnavailable);
    this.changes.written();
    this.reader.forget();
  }

  /** Until the snapshot is closed, the file's write-ahead log grows with every append. */
  override async snapshot(workspaceId?: string): Promise<LogSnapshot> {
    this.mustBeOpen();
    return available(
      () => new EmbeddedSnapshot(openToRead({ ...eventsDatabase, directory: this.directory }), workspaceId),
    );
  }

  override async check(): Promise<void> {
    this.mustBeOpen();
    await this.log.tryToWrite().catch(rethrowAsUnavailable);
  }

  override async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.appends.flush();
    clearInterval(this.lookingForOthers);
    await this.reader.close();
    await this.log.close();
  }

  private commit(lists: readonly (readonly RequestTexts[])[]): ReturnType<EventLog['record']> {
    const results = available(() => this.log.record(lists));
    return 'then' in results ? results.catch(rethrowAsUnavailable) : results;
  }

  private async lookForOthers(): Promise<void> {
    try {
      if (this.reader.isUsed) await this.log.noticeOthers();
    } catch (error) {
      if (!this.closed) this.onError(error);
    }
  }

  private mustBeOpen(): void {
    if (this.closed) throw new EventStoreUnavailable('The event store is closed: the service is stopping.');
  }
}
