import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * Prepared statements of a connection. Queries have as many shapes as there are filters; beyond this number the least
 * recently used is dropped.
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
    // While none is dropped, their order does not matter, and changing it costs memory.
    if (known !== undefined && !isFull) return known;
    const statement = known ?? this.database.prepare(sql);
    // Re-inserted as the last: a Map preserves insertion order, so the first is the least recently used.
    if (known !== undefined) this.bySql.delete(sql);
    else if (isFull) this.bySql.delete(this.bySql.keys().next().value ?? '');
    this.bySql.set(sql, statement);
    return statement;
  }

  /** SQLite's query plan, step by step. Not cached: each text is requested once. */
  explain(sql: string): readonly string[] {
    const steps = this.database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    return steps.map(({ detail }) => String(detail));
  }

  get isInTransaction(): boolean {
    return this.database.isTransaction;
  }

  /** Atomic and exclusive. */
  write<T>(work: () => T): T {
    return this.transaction('BEGIN IMMEDIATE', work);
  }

  /** For several statements that must see the same state, whatever other processes write meanwhile. */
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
