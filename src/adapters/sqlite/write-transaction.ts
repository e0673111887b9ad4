import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * Runs write transactions. Each one acquires the write lock at its beginning, so no other process can change what it
 * has read.
 */
export class WriteTransaction {
  private readonly begin: StatementSync;
  private readonly commit: StatementSync;

  constructor(private readonly database: DatabaseSync) {
    this.begin = database.prepare('BEGIN IMMEDIATE');
    this.commit = database.prepare('COMMIT');
  }

  /** Runs the work in a transaction. When this returns, its writes are on disk. If it throws, nothing was written. */
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
