import type { DatabaseSync } from 'node:sqlite';

/** A query was given up because its time was over. */
export class RowsTakeLonger extends Error {}

const name = 'in_time';

/** Ends queries of a connection in their time. SQLite asks for it at every eighth row, which costs a few per cent. */
export class RowDeadline {
  /** The first part of a query's condition over one table of documents. */
  readonly guard = `(rowid & 7 OR ${name}())`;
  private until = Number.POSITIVE_INFINITY;

  constructor(database: DatabaseSync) {
    // Not deterministic, or SQLite would ask once for all rows.
    database.function(name, () => {
      if (performance.now() > this.until) throw new RowsTakeLonger('The query takes longer than it may.');
      return 1;
    });
  }

  /** From now on. */
  set(withinMs: number): void {
    this.until = performance.now() + withinMs;
  }
}
