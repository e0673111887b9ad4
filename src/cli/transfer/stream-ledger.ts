import { DatabaseSync, type StatementSync } from 'node:sqlite';

type Row = readonly [first: number, next: number];

/**
 * An exported log may have more streams than fit into memory, so they are stored in an unnamed SQLite database, that
 * is, a temporary file that SQLite deletes.
 */
export class StreamLedger {
  private readonly database = new DatabaseSync('');
  private readonly select: StatementSync;
  private readonly insert: StatementSync;
  private readonly advance: StatementSync;

  constructor() {
    this.database.exec(`
      PRAGMA journal_mode = OFF;
      PRAGMA synchronous = OFF;
      PRAGMA cache_size = -32768;
      CREATE TABLE streams (name TEXT PRIMARY KEY, first INTEGER NOT NULL, next INTEGER NOT NULL) WITHOUT ROWID;
      BEGIN`);
    this.select = this.database.prepare('SELECT first, next FROM streams WHERE name = ?');
    this.select.setReturnArrays(true);
    this.insert = this.database.prepare('INSERT OR IGNORE INTO streams (name, first, next) VALUES (?, ?, ?)');
    this.advance = this.database.prepare('UPDATE streams SET next = next + 1 WHERE name = ? AND next = ?');
  }

  /**
   * Adds a stream that begins at the revision `first`, because earlier events were pruned. Returns false if the stream
   * was already added.
   */
  begin(stream: string, first: number): boolean {
    return this.insert.run(stream, first, first).changes === 1;
  }

  /** Adds an event to the stream. Returns false if `revision` is not the stream's next one. */
  count(stream: string, revision: number): boolean {
    if (this.advance.run(stream, revision).changes === 1) return true;
    return revision === 0 && this.insert.run(stream, 0, 1).changes === 1;
  }

  first(stream: string): number | undefined {
    return this.row(stream)?.[0];
  }

  next(stream: string): number {
    return this.row(stream)?.[1] ?? 0;
  }

  close(): void {
    this.database.close();
  }

  private row(stream: string): Row | undefined {
    return this.select.get(stream) as unknown as Row | undefined;
  }
}
