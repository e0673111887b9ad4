import type { DatabaseSync } from 'node:sqlite';

/** The query was aborted at its time limit. */
export class RowsTakeLonger extends Error {}

const name = 'in_time';

/** Aborts a connection's queries at a time limit, which SQLite checks at every eighth row. Costs a few per cent. */
export class RowDeadline {
  /** The first condition of a query over one table of documents. */
  readonly guard = `(rowid & 7 OR ${name}())`;
  private until = Number.POSITIVE_INFINITY;

  constructor(database: DatabaseSync) {
    // The function is not declared deterministic, because SQLite would then evaluate it once for all rows.
    database.function(name, () => {
      if (performance.now() > this.until) throw new RowsTakeLonger('The query takes longer than it may.');
      return 1;
    });
  }

  /** Sets the time limit, counted from now. */
  set(withinMs: number): void {
    this.until = performance.now() + withinMs;
  }
}
