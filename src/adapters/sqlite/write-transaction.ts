import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Acquires the write lock at the beginning, so that another process cannot change what is read inside. */
export class WriteTransaction {
  private readonly begin: StatementSync;
  private readonly commit: StatementSync;

  constructor(private readonly database: DatabaseSync) {
    this.begin = database.prepare('BEGIN IMMEDIATE');
    this.commit = database.prepare('COMMIT');
  }

  /** Runs `work`. Its effects are on disk when this returns. If it throws, it has no effects. */
  run<Result>(work: () => Result): Result {
    this.begin.run();
    try {
      const result = work();
      this.commit.run();
      return result;
    } catch (error) {
      // SQLite rolls back by itself after some errors, such as a full disk.
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
  }
}
