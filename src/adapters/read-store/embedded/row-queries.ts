import type { Where } from '../../../kernel/projection.js';
import { checkGrouping, type Group } from '../../../kernel/row-report.js';
import type { Narrowing, Query, Report } from '../../../ports/read-store.port.js';
import type { Room } from './build-tables.js';
import { narrowed } from './filter.js';
import { grouping, groupOf, selecting } from './groups.js';
import { limitOf, stretches } from './query.js';
import type { Statements } from './statements.js';
import { entriesOf, type Sizes, type Way, Ways } from './ways.js';
import { type Condition, joined } from './where.js';

/** What is read without a thread: one page, which takes less than handing it over. */
const quick = { rows: 200, statements: 1_000 };

/** Queries that customers make up. They may take long, and run in a thread. */
export class RowQueries {
  private readonly ways: Ways;
  private readonly early = new Map<string, boolean>();

  constructor(
    private readonly statements: Statements,
    sizes?: Sizes,
  ) {
    this.ways = new Ways(statements, sizes);
  }

  /** The documents as JSON. */
  find(room: Room, query: Query): readonly string[] {
    if (query.skip !== undefined) throw new Error('A list of rows goes on after a row: it skips none.');
    return this.statements.snapshot(() => this.read(this.ways.toList(room, query), query));
  }

  /** Undefined when it may take long: then nothing was read but some entries of indexes. */
  findQuickly(room: Room, query: Query): readonly string[] | undefined {
    if (limitOf(query) > quick.rows || query.search !== undefined) return undefined;
    return this.statements.snapshot(() => {
      if (query.filter === undefined) {
        const way = this.ways.toList(room, query);
        return this.selects(way, query).every(({ sql }) => this.endsEarly(sql)) ? this.read(way, query) : undefined;
      }
      const way = this.ways.toFew(room, query, quick.rows);
      return way && this.read(way, query);
    });
  }

  count(room: Room, where: Where, narrowing: Narrowing): number {
    return this.statements.snapshot(() => {
      const lookup = this.ways.toCount(room, where, narrowing);
      if (lookup !== undefined) {
        const { sql, values } = entriesOf(lookup);
        return this.counted(
          `count(${lookup.repeats ? 'DISTINCT found' : '*'}) AS n FROM ${room.entries} WHERE ${sql}`,
          values,
        );
      }
      const { from, ...way } = this.ways.toAll(room, where, narrowing);
      const { sql, values } = joined([way, narrowed(where, narrowing)]);
      return this.counted(`count(*) AS n FROM ${from} WHERE ${sql}`, values);
    });
  }

  groups(room: Room, report: Report): readonly Group[] {
    checkGrouping(report);
    const limit = limitOf(report);
    return this.statements.snapshot(() => {
      const { from, ...way } = this.ways.toAll(room, report.where, report);
      const { sql, values } = joined([way, narrowed(report.where, report)]);
      const select = `SELECT ${selecting(report)} FROM ${from} WHERE ${sql} ${grouping(report)} LIMIT ?`;
      const rows = this.statements.of(select).all(...values, limit);
      return rows.map((row) => groupOf(report, row));
    });
  }

  private read(way: Way, query: Query): readonly string[] {
    const limit = limitOf(query);
    const found: string[] = [];
    for (const { sql, values } of this.selects(way, query)) {
      if (found.length >= limit) break;
      const rows = this.statements.of(sql).all(...values, limit - found.length);
      for (const row of rows) found.push(String(row['doc']));
    }
    return found;
  }

  private selects({ from, columns, ...way }: Way, query: Query): readonly Condition[] {
    return stretches(query, columns).map((part) => {
      const { sql, values } = joined([way, part]);
      return { sql: `SELECT doc FROM ${from} WHERE ${sql} ORDER BY ${part.order} LIMIT ?`, values };
    });
  }

  /** Whether SQLite reads the rows in their order, so that it reads no more than are wanted. */
  private endsEarly(sql: string): boolean {
    const known = this.early.get(sql);
    if (known !== undefined) return known;
    const steps = this.statements.explain(sql);
    const isEarly = !steps.some((step) => /TEMP B-TREE|^SCAN/.test(step));
    if (this.early.size < quick.statements) this.early.set(sql, isEarly);
    return isEarly;
  }

  private counted(what: string, values: readonly string[]): number {
    return Number(this.statements.of(`SELECT ${what}`).get(...values)?.['n']);
  }
}
