import type { DatabaseSync } from 'node:sqlite';

export class RowsTakeLonger extends Error {}

const name = 'in_time';

/** Aborts queries that exceed a time limit. SQLite checks the limit at every eighth row, which costs a few per cent. */
export class RowDeadline {
  /** Must be the first condition of a query over one table of documents. */
  readonly guard = `(rowid & 7 OR ${name}())`;
  private until = Number.POSITIVE_INFINITY;

  constructor(database: DatabaseSync) {
    // Not declared deterministic, because SQLite would then call the function only once per query.
    database.function(name, () => {
      if (performance.now() > this.until) throw new RowsTakeLonger('The query exceeded its time limit.');
      return 1;
    });
  }

  set(withinMs: number): void {
    this.until = performance.now() + withinMs;
  }
}
