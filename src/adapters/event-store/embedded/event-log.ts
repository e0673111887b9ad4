import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Appended, EventFilter } from '../../../ports/event-store.port.js';
import { WriteTransaction } from '../../sqlite/write-transaction.js';
import { EventReader, type Stretch } from './event-reader.js';
import type { RequestTexts } from './event-texts.js';
import { GroupAppender } from './group-appender.js';
import { StreamHeads } from './stream-heads.js';
import { StreamPruner } from './stream-pruner.js';
import { Tail } from './tail.js';

/** Most events in one batch for a subscriber. */
const largestBatch = 1_000;

/**
 * The file and its caches. Another process may append to the same file at any time; SQLite counts such commits, and the
 * caches are used only while the count is unchanged.
 */
export class EventLog {
  readonly reader: EventReader;
  private readonly transaction: WriteTransaction;
  private readonly heads: StreamHeads;
  private readonly appender: GroupAppender;
  private readonly pruner: StreamPruner;
  private readonly tail: Tail;
  private readonly countOfOthers: StatementSync;
  private seenOfOthers: unknown;
  private knownHead: number;

  constructor(private readonly database: DatabaseSync) {
    this.reader = new EventReader(database);
    this.transaction = new WriteTransaction(database);
    this.heads = new StreamHeads(database);
    this.appender = new GroupAppender(database, this.heads);
    this.pruner = new StreamPruner(database, this.transaction);
    this.countOfOthers = database.prepare('PRAGMA data_version');
    this.seenOfOthers = this.countOfOthers.get()?.['data_version'];
    this.knownHead = this.reader.head();
    this.tail = new Tail(this.knownHead);
  }

  /** The last event known to be committed; another process may be ahead of it. */
  get head(): number {
    return this.knownHead;
  }

  /** @param followed whether a subscription would read the events from memory. */
  record(
    lists: readonly (readonly RequestTexts[])[],
    followed: boolean,
  ): readonly PromiseSettledResult<readonly Appended[]>[] {
    try {
      const group = this.transaction.run(() => {
        this.noticeOthers();
        return this.appender.record(lists, this.knownHead);
      });
      this.heads.keepGroup();
      if (followed) this.tail.push(group.events);
      else this.tail.reset(group.head);
      this.knownHead = group.head;
      return group.results;
    } catch (error) {
      this.heads.forget();
      throw error;
    }
  }

  /** The next events after a position before the head: from memory if they are all there. */
  read(after: number, filter: EventFilter): Stretch {
    if (this.tail.covers(after)) {
      return { ...this.tail.after(after, filter), upTo: this.knownHead, live: true };
    }
    return this.reader.after(after, this.knownHead, filter, largestBatch);
  }

  async prune(stream: string, beforeRevision: number): Promise<void> {
    await this.pruner.prune(stream, beforeRevision, () => this.tail.reset(this.knownHead));
  }

  /** Checks whether another process has committed since last time. */
  noticeOthers(): boolean {
    const count = this.countOfOthers.get()?.['data_version'];
    if (count === this.seenOfOthers) return false;
    this.heads.forget();
    this.knownHead = this.reader.head();
    this.tail.reset(this.knownHead);
    this.seenOfOthers = count;
    return true;
  }

  /** Rewrites an existing value, to find out whether the file can be written. */
  tryToWrite(): void {
    this.transaction.run(() => this.database.exec('UPDATE log SET head = head'));
  }

  close(): void {
    this.database.close();
  }
}
