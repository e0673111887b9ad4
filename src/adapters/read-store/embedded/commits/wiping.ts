import { removeSetAside } from '../open.js';
import type { Statements } from '../statements.js';

/** Erasures within this time are wiped together, because each wiping copies the write-ahead log and empties it. */
const patienceMs = 200;
/** Another process was reading. */
const againAfterMs = 500;

/**
 * Empties the write-ahead log some time after documents were erased: SQLite overwrites them in the tables
 * (`secure_delete`), but the log still holds pages with them. It goes by timer and is not durable: whoever closes the file
 * last empties the log as well.
 */
export class Wiping {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly statements: Statements,
    private readonly directory: string,
  ) {}

  /** Call after the commit that erased. Files that were set aside hold the same documents, and are deleted. */
  erased(): void {
    removeSetAside(this.directory);
    this.soon();
  }

  /** Also at the start: the process that erased may have been killed before it came to this. */
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
