import { removeSetAside } from '../open.js';
import type { Statements } from '../statements.js';

/**
 * Delay of a wipe, in milliseconds, so that several erasures share it. A wipe copies the whole write-ahead log to the
 * file.
 */
const patienceMs = 200;
/** Delay, in milliseconds, after a failed wipe. A wipe fails, for example, while another process reads. */
const againAfterMs = 500;

/**
 * Empties the write-ahead log, because its pages still contain erased documents. In the tables, SQLite overwrites
 * erased documents at once (`secure_delete`).
 */
export class Wiping {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly statements: Statements,
    private readonly directory: string,
  ) {}

  /**
   * Must be called after a commit that erased documents. Schedules a wipe, and deletes the unusable database files that
   * `open.ts` renamed, because they contain the same documents.
   */
  erased(): void {
    removeSetAside(this.directory);
    this.soon();
  }

  /**
   * Schedules a wipe. Must be called at the start too, because a process might have been killed between the erasure and
   * the wipe.
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
