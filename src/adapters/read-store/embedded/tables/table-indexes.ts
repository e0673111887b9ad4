import type { Index } from '../../../../kernel/record/projection.js';
import { type Fields, inDocument } from '../fields.js';
import type { Statements } from '../statements.js';

/** The name of the table is not quoted for SQL. */
export interface TableIndex {
  readonly table: string;
  readonly fields: Fields;
  readonly index: Index;
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/**
 * The name shows whether the index uses generated columns. Versions of the service that lack these columns cannot use
 * such an index. After a downgrade they drop it, because they do not know its name, and create their own.
 */
function nameOf({ table, fields, index }: TableIndex): string {
  const isOverColumns = index.fields.some((field) => fields(field).value !== inDocument(field).value);
  return `${table}#${index.fields.join(',')}${index.unique ? '!' : ''}${isOverColumns ? ' columns' : ''}`;
}

export class TableIndexes {
  constructor(private readonly statements: Statements) {}

  missing(table: string, fields: Fields, required: readonly Index[]): readonly TableIndex[] {
    if (this.isEmpty(table)) return [];
    const there = this.of(table);
    return required.map((index) => ({ table, fields, index })).filter((one) => !there.includes(nameOf(one)));
  }

  /**
   * Creates missing indexes and drops indexes that are not declared. Must be called inside a write transaction.
   * @param isOld whether the table existed before, so it might have indexes already
   */
  follow(table: string, fields: Fields, declared: readonly Index[], isOld: boolean): void {
    const required = new Map(declared.map((index) => [nameOf({ table, fields, index }), index]));
    const there = isOld ? this.of(table) : [];
    for (const name of there.filter((one) => !required.has(one)))
      this.statements.prepared(`DROP INDEX ${quoted(name)}`).run();
    for (const [name, index] of required) if (!there.includes(name)) this.create({ table, fields, index });
  }

  create(made: TableIndex): void {
    const { fields, unique } = made.index;
    const columns = fields.map((field) => made.fields(field).value);
    // The id is the last sort key of every page. A unique index omits it, because with the id every row would be
    // unique.
    const list = (unique ? columns : [...columns, 'id']).join(', ');
    const kind = unique ? 'UNIQUE INDEX' : 'INDEX';
    this.statements.prepared(`CREATE ${kind} ${quoted(nameOf(made))} ON ${quoted(made.table)} (${list})`).run();
  }

  private of(table: string): readonly string[] {
    return this.statements
      .prepared(`SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL`)
      .all(table)
      .map(({ name }) => String(name));
  }

  private isEmpty(table: string): boolean {
    return this.statements.prepared(`SELECT 1 FROM ${quoted(table)} LIMIT 1`).get() === undefined;
  }
}
