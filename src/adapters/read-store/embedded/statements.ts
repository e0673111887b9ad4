import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Maximum number of cached statements. Customers compose filters, so the number of different queries is unlimited. */
const mostStatements = 256;

export class Statements {
  private readonly bySql = new Map<string, StatementSync>();

  constructor(private readonly database: DatabaseSync) {}

  get size(): number {
    return this.bySql.size;
  }

  prepared(sql: string): StatementSync {
    const known = this.bySql.get(sql);
    const isFull = this.bySql.size >= mostStatements;
    if (known !== undefined && !isFull) return known;
    const statement = known ?? this.database.prepare(sql);
    // A Map preserves the order of insertion, and a used entry is inserted again, so the first entry is the least
    // recently used.
    if (known !== undefined) this.bySql.delete(sql);
    else if (isFull) this.bySql.delete(this.bySql.keys().next().value ?? '');
    this.bySql.set(sql, statement);
    return statement;
  }

  explain(sql: string): readonly string[] {
    const steps = this.database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    return steps.map(({ detail }) => String(detail));
  }

  get isInTransaction(): boolean {
    return this.database.isTransaction;
  }

  /** Runs `work` in a transaction that excludes other writers from its beginning. */
  write<T>(work: () => T): T {
    return this.transaction('BEGIN IMMEDIATE', work);
  }

  /** All reads of `work` see the same state of the database. */
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
      // On a full disk SQLite might have rolled back already, and a second rollback would throw an error that hides the
      // first.
      if (this.database.isTransaction) this.prepared('ROLLBACK').run();
      throw error;
    }
  }
}
