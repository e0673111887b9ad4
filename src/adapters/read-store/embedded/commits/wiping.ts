import { removeSetAside } from '../open.js';
import type { Statements } from '../statements.js';

/**
 * Delay between an erasure and its wipe, in milliseconds, so that several erasures share one wipe. Each wipe copies the
 * whole write-ahead log to the file and empties it.
 */
const patienceMs = 200;
/** Delay before a failed wipe is retried, in milliseconds. A wipe fails, for example, while another process reads. */
const againAfterMs = 500;

/**
 * Wipes erased documents from the write-ahead log by emptying it. In the tables, SQLite overwrites them at once
 * (`secure_delete`), but the log still has pages that contain them. If the process ends before the timer fires, the
 * documents are still wiped: the last process that closes the file empties the log too, and after a kill the next start
 * schedules a wipe.
 */
export class Wiping {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly statements: Statements,
    private readonly directory: string,
  ) {}

  /**
   * Must be called after a commit that erased documents. Also deletes files that were set aside, because they contain
   * the same documents.
   */
  erased(): void {
    removeSetAside(this.directory);
    this.soon();
  }

  /**
   * Schedules a wipe, unless one is already scheduled. Also called at the start, because a process may have been killed
   * between the erasure and the wipe.
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
      return this.statements.prepared('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0;
    } catch {
      return false;
    }
  }
}
