import type { DatabaseSync } from 'node:sqlite';

/** Thrown when a query is aborted at its time limit. */
export class RowsTakeLonger extends Error {}

const name = 'in_time';

/**
 * Aborts the queries of a connection at a time limit. SQLite checks the limit at every eighth row, which costs a few
 * per cent.
 */
export class RowDeadline {
  /** SQL condition that checks the limit. It must be the first condition of a query over one table of documents. */
  readonly guard = `(rowid & 7 OR ${name}())`;
  private until = Number.POSITIVE_INFINITY;

  constructor(database: DatabaseSync) {
    // Not declared deterministic, because SQLite would then call the function only once per query.
    database.function(name, () => {
      if (performance.now() > this.until) throw new RowsTakeLonger('The query takes longer than it may.');
      return 1;
    });
  }

  /** Sets the time limit of the next query, counted from now. */
  set(withinMs: number): void {
    this.until = performance.now() + withinMs;
  }
}
