import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { WriteTransaction } from '../../sqlite/write-transaction.js';

/** Rows deleted in one go, so that a long stream does not hold up the main thread. */
const batch = 1_000;

/** First the mark that hides the events, durable at once; then their rows, for whose room nobody waits. */
export class StreamPruner {
  private readonly mark: StatementSync;
  private readonly deleteBatch: StatementSync;

  constructor(
    database: DatabaseSync,
    private readonly transaction: WriteTransaction,
  ) {
    // Never beyond what there is: events yet to be appended are not pruned beforehand.
    this.mark = database.prepare(
      'UPDATE streams SET truncate_before = min(?, revision + 1) WHERE name = ? AND truncate_before < min(?, revision + 1)',
    );
    // What a crash left undeleted below an earlier mark goes as well.
    this.deleteBatch = database.prepare(`
      DELETE FROM events WHERE position IN (
        SELECT e.position FROM streams s CROSS JOIN events e ON e.stream_id = s.id
        WHERE s.name = ? AND e.revision < s.truncate_before LIMIT ${batch})`);
  }

  /** @param marked is called when the mark is durable. */
  async prune(stream: string, beforeRevision: number, marked: () => void): Promise<void> {
    let deleted = this.transaction.run(() => {
      this.mark.run(beforeRevision, stream, beforeRevision);
      return this.deleteBatch.run(stream).changes;
    });
    marked();
    while (deleted === batch) {
      await setImmediate();
      deleted = this.transaction.run(() => this.deleteBatch.run(stream).changes);
    }
  }
}
