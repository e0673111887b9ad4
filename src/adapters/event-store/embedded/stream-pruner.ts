import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { WriteTransaction } from '../../sqlite/write-transaction.js';

/** Number of events deleted per transaction. Limited, so that a long stream does not block the thread. */
const batch = 1_000;

export class StreamPruner {
  private readonly mark: StatementSync;
  private readonly deleteBatch: StatementSync;

  constructor(
    database: DatabaseSync,
    private readonly transaction: WriteTransaction,
  ) {
    // `truncate_before` never exceeds the revision after the last event, so future events are not pruned.
    this.mark = database.prepare(
      'UPDATE streams SET truncate_before = min(?, revision + 1) WHERE name = ? AND truncate_before < min(?, revision + 1)',
    );
    // Also deletes rows below an earlier `truncate_before`, which a crash can have left behind.
    this.deleteBatch = database.prepare(`
      DELETE FROM events WHERE position IN (
        SELECT e.position FROM streams s CROSS JOIN events e ON e.stream_id = s.id
        WHERE s.name = ? AND e.revision < s.truncate_before LIMIT ${batch})`);
  }

  /** @param marked called once the new `truncate_before` is durable, before rows are deleted */
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
