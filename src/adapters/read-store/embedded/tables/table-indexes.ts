import type { Index } from '../../../../kernel/record/projection.js';
import { place } from '../fields.js';
import type { Statements } from '../statements.js';

/** An index of a table, which is named without quotes. */
export interface TableIndex {
  readonly table: string;
  readonly index: Index;
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

const nameOf = ({ table, index: { fields, unique } }: TableIndex) => `${table}#${fields.join(',')}${unique ? '!' : ''}`;

/** The indexes of all documents of a table. */
export class TableIndexes {
  constructor(private readonly statements: Statements) {}

  /** Those that a table with documents lacks. */
  missing(table: string, wanted: readonly Index[]): readonly TableIndex[] {
    if (this.isEmpty(table)) return [];
    const there = this.of(table);
    return wanted.map((index) => ({ table, index })).filter((one) => !there.includes(nameOf(one)));
  }

  /** Must run inside a write. Makes those that are declared and drops all others. */
  follow(table: string, declared: readonly Index[], isOld: boolean): void {
    const wanted = new Map(declared.map((index) => [nameOf({ table, index }), index]));
    const there = isOld ? this.of(table) : [];
    for (const name of there.filter((one) => !wanted.has(one))) this.statements.of(`DROP INDEX ${quoted(name)}`).run();
    for (const [name, index] of wanted) if (!there.includes(name)) this.make({ table, index });
  }

  /** Must run inside a write. */
  make(made: TableIndex): void {
    const { fields, unique } = made.index;
    const columns = fields.map((field) => place(field).value);
    // The id lets the index serve the order that pages need. In a unique index it would make every row unique.
    const list = (unique ? columns : [...columns, 'id']).join(', ');
    const kind = unique ? 'UNIQUE INDEX' : 'INDEX';
    this.statements.of(`CREATE ${kind} ${quoted(nameOf(made))} ON ${quoted(made.table)} (${list})`).run();
  }

  private of(table: string): readonly string[] {
    return this.statements
      .of(`SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL`)
      .all(table)
      .map(({ name }) => String(name));
  }

  private isEmpty(table: string): boolean {
    return this.statements.of(`SELECT 1 FROM ${quoted(table)} LIMIT 1`).get() === undefined;
  }
}
