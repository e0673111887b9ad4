import { removeSetAside } from '../open.js';
import type { Statements } from '../statements.js';

/**
 * Erasures within this time, in milliseconds, are wiped together, because each wipe copies the write-ahead log and
 * empties it.
 */
const patienceMs = 200;
/** Delay before a retry when another process was reading. */
const againAfterMs = 500;

/**
 * Empties the write-ahead log some time after documents were erased: SQLite overwrites them in the tables
 * (`secure_delete`), but the log still has pages with them. Runs on a timer that is not durable: the last process to
 * close the file empties the log as well.
 */
export class Wiping {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly statements: Statements,
    private readonly directory: string,
  ) {}

  /**
   * Must be called after the commit that erased. Also deletes files that were set aside, which contain the same
   * documents.
   */
  erased(): void {
    removeSetAside(this.directory);
    this.soon();
  }

  /**
   * Schedules a wipe. Also called at the start, because a process may have been killed between the erasure and the
   * wipe.
   */
  soon(afterMs = patienceMs): void {
    if (this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (!this.wipe()) this.soon(againAfterMs);
    }, afterMs).unref();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private wipe(): boolean {
    try {
      return this.statements.of('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0;
    } catch {
      return false;
    }
  }
}
