import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * Maximum number of prepared statements of a connection. The number of different queries is unlimited, because
 * customers compose filters. Beyond this number, the least recently used statement is dropped.
 */
const mostStatements = 256;

/** A connection with its prepared statements and transactions. */
export class Statements {
  private readonly bySql = new Map<string, StatementSync>();

  constructor(private readonly database: DatabaseSync) {}

  get size(): number {
    return this.bySql.size;
  }

  prepared(sql: string): StatementSync {
    const known = this.bySql.get(sql);
    const isFull = this.bySql.size >= mostStatements;
    // Statements are reordered only once the map is full, because only then are some dropped, and reordering allocates
    // memory.
    if (known !== undefined && !isFull) return known;
    const statement = known ?? this.database.prepare(sql);
    // The statement is removed here and added again below. A Map preserves the order of insertion, so its first entry
    // is the least recently used.
    if (known !== undefined) this.bySql.delete(sql);
    else if (isFull) this.bySql.delete(this.bySql.keys().next().value ?? '');
    this.bySql.set(sql, statement);
    return statement;
  }

  /** Returns the steps of SQLite's query plan. The statement is not cached, because each query is explained once. */
  explain(sql: string): readonly string[] {
    const steps = this.database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    return steps.map(({ detail }) => String(detail));
  }

  get isInTransaction(): boolean {
    return this.database.isTransaction;
  }

  /** Runs work in an atomic transaction that excludes other writers from its beginning. */
  write<T>(work: () => T): T {
    return this.transaction('BEGIN IMMEDIATE', work);
  }

  /** Runs several reads on the same state of the database, even if other processes write at the same time. */
  snapshot<T>(work: () => T): T {
    return this.transaction('BEGIN', work);
  }

  private transaction<T>(begin: string, work: () => T): T {
    this.prepared(begin).run();
    try {
      const result = work();
      this.prepared('COMMIT').run();
      return result;
    } catch (error) {
      // On a full disk SQLite may have rolled back already. A second rollback would throw an error that hides the
      // first.
      if (this.database.isTransaction) this.prepared('ROLLBACK').run();
      throw error;
    }
  }
}
