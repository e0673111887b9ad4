import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Takes the write lock at once, so that what is looked at inside cannot be changed by another process meanwhile. */
export class WriteTransaction {
  private readonly begin: StatementSync;
  private readonly commit: StatementSync;

  constructor(private readonly database: DatabaseSync) {
    this.begin = database.prepare('BEGIN IMMEDIATE');
    this.commit = database.prepare('COMMIT');
  }

  /** What `work` did is on disk when this returns; when this throws, nothing of it was done. */
  run<Result>(work: () => Result): Result {
    this.begin.run();
    try {
      const result = work();
      this.commit.run();
      return result;
    } catch (error) {
      // SQLite has already rolled back by itself after some faults, a full disk among them.
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
  }
}
