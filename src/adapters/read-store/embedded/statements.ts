import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Queries come in as many shapes as there are filters; past this many the longest unused one is let go. */
const kept = 256;

/** One connection with its prepared statements and transactions. */
export class Statements {
  private readonly bySql = new Map<string, StatementSync>();

  constructor(private readonly database: DatabaseSync) {}

  get size(): number {
    return this.bySql.size;
  }

  of(sql: string): StatementSync {
    const known = this.bySql.get(sql);
    const statement = known ?? this.database.prepare(sql);
    // Set again, it stands last: a Map keeps the order of insertion, so the first one is the longest unused.
    if (known !== undefined) this.bySql.delete(sql);
    else if (this.bySql.size >= kept) this.bySql.delete(this.bySql.keys().next().value ?? '');
    this.bySql.set(sql, statement);
    return statement;
  }

  /** All or nothing, and nobody else writes meanwhile. */
  write<T>(work: () => T): T {
    return this.transaction('BEGIN IMMEDIATE', work);
  }

  /** Several statements that must see the same state, whatever other processes write meanwhile. */
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
      // On a full disk SQLite may have rolled back by itself; a second time would be an error that hides the first.
      if (this.database.isTransaction) this.of('ROLLBACK').run();
      throw error;
    }
  }
}
