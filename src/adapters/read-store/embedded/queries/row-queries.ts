import type { Where } from '../../../../kernel/record/projection.js';
import { checkGrouping, type Group } from '../../../../kernel/rows/row-report.js';
import type { Counting, Query, Report } from '../../../../ports/read-store.port.js';
import type { Statements } from '../statements.js';
import type { BuildTable } from '../tables/build-tables.js';
import { type AccessPath, AccessPaths, entriesCondition, type Sizes } from './access-paths.js';
import { narrowed } from './filter.js';
import { grouping, groupOf, selecting } from './groups.js';
import { keysetRanges, limitOf } from './query.js';
import { isLight, looksInside } from './row-cost.js';
import { joined, type SqlCondition } from './where.js';

/**
 * `rows` is the maximum size of a page on the main thread; reading it takes less time than the round trip to a thread.
 */
const quick = { rows: 200, statements: 1_000 };

/** `findQuickly` is for the main thread. The other methods can take long, so they are for threads. */
export class RowQueries {
  private readonly paths: AccessPaths;
  private readonly early = new Map<string, boolean>();
  /** Must precede all other conditions, because SQLite evaluates conditions in order. */
  private readonly guard: SqlCondition;

  constructor(
    private readonly statements: Statements,
    { sizes, guard = 'TRUE' }: { readonly sizes?: Sizes; readonly guard?: string } = {},
  ) {
    this.paths = new AccessPaths(statements, sizes);
    this.guard = { sql: guard, values: [] };
  }

  find(room: BuildTable, query: Query): readonly string[] {
    if (query.skip !== undefined) throw new Error('A list of rows continues after a given row and cannot skip rows.');
    return this.statements.snapshot(() => this.read(this.paths.toList(room, query), query));
  }

  /** Returns undefined, after reading only some index entries, if the query can take long. */
  findQuickly(room: BuildTable, query: Query): readonly string[] | undefined {
    if (limitOf(query) > quick.rows || query.search !== undefined) return undefined;
    return this.statements.snapshot(() => {
      if (query.filter === undefined) {
        const way = this.paths.toList(room, query);
        return this.selects(way, query).every(({ sql }) => this.endsEarly(sql)) ? this.read(way, query) : undefined;
      }
      if (looksInside(query.filter) || !isLight(query)) return undefined;
      const way = this.paths.toFew(room, query, quick.rows);
      return way && this.read(way, query);
    });
  }

  count(room: BuildTable, where: Where, { most, ...narrowing }: Counting): number {
    return this.statements.snapshot(() => {
      const lookup = this.paths.toCount(room, where, narrowing);
      if (lookup !== undefined) {
        const { sql, values } = entriesCondition(lookup);
        const found = lookup.repeats ? 'DISTINCT found' : '1';
        return this.counted({ sql: `SELECT ${found} FROM ${room.entries} WHERE ${sql}`, values }, most);
      }
      const { from, ...way } = this.paths.toAll(room, where, narrowing);
      const { sql, values } = joined([this.guard, way, narrowed(where, narrowing, room.fields)]);
      return this.counted({ sql: `SELECT 1 FROM ${from} WHERE ${sql}`, values }, most);
    });
  }

  groups(room: BuildTable, report: Report): readonly Group[] {
    checkGrouping(report);
    const limit = limitOf(report);
    return this.statements.snapshot(() => {
      const { from, ...way } = this.paths.toAll(room, report.where, report);
      const { sql, values } = joined([this.guard, way, narrowed(report.where, report, room.fields)]);
      const select = `SELECT ${selecting(report)} FROM ${from} WHERE ${sql} ${grouping(report)} LIMIT ?`;
      const rows = this.statements.prepared(select).all(...values, limit);
      return rows.map((row) => groupOf(report, row));
    });
  }

  private read(way: AccessPath, query: Query): readonly string[] {
    const limit = limitOf(query);
    const found: string[] = [];
    for (const { sql, values } of this.selects(way, query)) {
      if (found.length >= limit) break;
      const rows = this.statements.prepared(sql).all(...values, limit - found.length);
      for (const row of rows) found.push(String(row['doc']));
    }
    return found;
  }

  private selects({ from, columns, ...way }: AccessPath, query: Query): readonly SqlCondition[] {
    return keysetRanges(query, columns).map((part) => {
      const { sql, values } = joined([this.guard, way, part]);
      return { sql: `SELECT doc FROM ${from} WHERE ${sql} ORDER BY ${part.order} LIMIT ?`, values };
    });
  }

  private endsEarly(sql: string): boolean {
    const known = this.early.get(sql);
    if (known !== undefined) return known;
    const steps = this.statements.explain(sql);
    const isEarly = !steps.some((step) => /TEMP B-TREE|^SCAN/.test(step));
    if (this.early.size < quick.statements) this.early.set(sql, isEarly);
    return isEarly;
  }

  private counted({ sql, values }: SqlCondition, most = Number.MAX_SAFE_INTEGER): number {
    const count = `SELECT count(*) AS n FROM (${sql} LIMIT ?)`;
    return Number(this.statements.prepared(count).get(...values, most)?.['n']);
  }
}
