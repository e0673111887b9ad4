import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Each transaction acquires the write lock at its beginning, so no other process can change what it has read. */
export class WriteTransaction {
  private readonly begin: StatementSync;
  private readonly commit: StatementSync;

  constructor(private readonly database: DatabaseSync) {
    this.begin = database.prepare('BEGIN IMMEDIATE');
    this.commit = database.prepare('COMMIT');
  }

  /** When this returns, the writes are on disk. If it throws, nothing was written. */
  run<Result>(work: () => Result): Result {
    this.begin.run();
    try {
      const result = work();
      this.commit.run();
      return result;
    } catch (error) {
      // After some errors, such as a full disk, SQLite has already rolled back.
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
  }
}
