import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * Most prepared statements of a connection. Queries have as many shapes as there are filters, so beyond this number the
 * least recently used statement is dropped.
 */
const mostStatements = 256;

/** One connection with its prepared statements and transactions. */
export class Statements {
  private readonly bySql = new Map<string, StatementSync>();

  constructor(private readonly database: DatabaseSync) {}

  get size(): number {
    return this.bySql.size;
  }

  of(sql: string): StatementSync {
    const known = this.bySql.get(sql);
    const isFull = this.bySql.size >= mostStatements;
    // Until the first statement is dropped, their order does not matter, and changing it costs memory.
    if (known !== undefined && !isFull) return known;
    const statement = known ?? this.database.prepare(sql);
    // Re-inserted as the last: a Map preserves insertion order, so the first is the least recently used.
    if (known !== undefined) this.bySql.delete(sql);
    else if (isFull) this.bySql.delete(this.bySql.keys().next().value ?? '');
    this.bySql.set(sql, statement);
    return statement;
  }

  /** Returns SQLite's query plan, step by step. Not cached, because each text is requested once. */
  explain(sql: string): readonly string[] {
    const steps = this.database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    return steps.map(({ detail }) => String(detail));
  }

  get isInTransaction(): boolean {
    return this.database.isTransaction;
  }

  /** Runs work in an atomic, exclusive transaction. */
  write<T>(work: () => T): T {
    return this.transaction('BEGIN IMMEDIATE', work);
  }

  /** Runs several statements that must see the same state, even if other processes write at the same time. */
  snapshot<T>(work: () => T): T {
    return this.transaction('BEGIN', work);
  }

  private transaction<T>(begin: string, work: () => T): T {
    this.of(begin).run();
    try {
      const result = work();
      this.of('COMMIT').run();
      return result;
    } catch (error) {
      // On a full disk SQLite may have rolled back already. A second rollback would throw an error that hides the
      // first.
      if (this.database.isTransaction) this.of('ROLLBACK').run();
      throw error;
    }
  }
}
