import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Appended } from '../../../ports/event-store.port.js';
import { WriteTransaction } from '../../sqlite/write-transaction.js';
import type { RequestTexts } from './event-texts.js';
import { GroupAppender } from './group-appender.js';
import { StreamHeads } from './stream-heads.js';
import { StreamPruner } from './stream-pruner.js';

export type ListResult = PromiseSettledResult<readonly Appended[]>;

export interface WrittenGroup {
  readonly before: number;
  readonly head: number;
  /** Whether another connection has committed since this writer's previous result. */
  readonly others: boolean;
  readonly outcome: { readonly results: readonly ListResult[] } | { readonly failure: unknown };
}

/**
 * Other connections can append to the file at any time. SQLite counts their commits, and cached stream heads are used
 * only while that count is unchanged.
 */
export class LogWriter {
  private readonly transaction: WriteTransaction;
  private readonly heads: StreamHeads;
  private readonly appender: GroupAppender;
  private readonly pruner: StreamPruner;
  private readonly countOfOthers: StatementSync;
  private readonly storedHead: StatementSync;
  private seenOfOthers: unknown;
  private head: number;
  private othersCommitted = false;

  constructor(private readonly database: DatabaseSync) {
    this.transaction = new WriteTransaction(database);
    this.heads = new StreamHeads(database);
    this.appender = new GroupAppender(database, this.heads);
    this.pruner = new StreamPruner(database, this.transaction);
    this.countOfOthers = database.prepare('PRAGMA data_version');
    this.storedHead = database.prepare('SELECT head FROM log');
    this.seenOfOthers = this.countOfOthers.get()?.['data_version'];
    this.head = this.readHead();
  }

  record(lists: readonly (readonly RequestTexts[])[]): WrittenGroup {
    try {
      if (lists.length > 0) return this.commit(lists);
      this.look();
      return this.written(this.head, { results: [] });
    } catch (failure) {
      this.heads.forget();
      return this.written(this.head, { failure });
    }
  }

  prune(stream: string, beforeRevision: number, marked: () => void): Promise<void> {
    return this.pruner.prune(stream, beforeRevision, marked);
  }

  /** Rewrites an existing value, to test whether the file is writable. */
  tryToWrite(): void {
    this.transaction.run(() => this.database.exec('UPDATE log SET head = head'));
  }

  private commit(lists: readonly (readonly RequestTexts[])[]): WrittenGroup {
    const { before, group } = this.transaction.run(() => {
      this.look();
      return { before: this.head, group: this.appender.record(lists, this.head) };
    });
    this.heads.cacheGroup();
    this.head = group.head;
    return this.written(before, { results: group.results });
  }

  private look(): void {
    const count = this.countOfOthers.get()?.['data_version'];
    if (count === this.seenOfOthers) return;
    this.heads.forget();
    this.head = this.readHead();
    this.othersCommitted = true;
    this.seenOfOthers = count;
  }

  private written(before: number, outcome: WrittenGroup['outcome']): WrittenGroup {
    const others = this.othersCommitted;
    this.othersCommitted = false;
    return { before, head: this.head, others, outcome };
  }

  private readHead(): number {
    return Number(this.storedHead.get()?.['head']);
  }
}
