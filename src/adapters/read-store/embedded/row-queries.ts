import type { Where } from '../../../kernel/projection.js';
import { checkGrouping, type Group } from '../../../kernel/row-report.js';
import type { Narrowing, Query, Report } from '../../../ports/read-store.port.js';
import type { Room } from './build-tables.js';
import { narrowed } from './filter.js';
import { grouping, groupOf, selecting } from './groups.js';
import { limitOf, stretches } from './query.js';
import type { Statements } from './statements.js';
import { entriesOf, type Sizes, Ways } from './ways.js';
import { joined } from './where.js';

/** Queries that customers make up. They may take long, and run in a thread. */
export class RowQueries {
  private readonly ways: Ways;

  constructor(
    private readonly statements: Statements,
    sizes?: Sizes,
  ) {
    this.ways = new Ways(statements, sizes);
  }

  /** The documents as JSON. */
  find(room: Room, query: Query): readonly string[] {
    const limit = limitOf(query);
    return this.statements.snapshot(() => {
      const { from, columns, ...way } = this.ways.toList(room, query);
      const found: string[] = [];
      for (const part of stretches(query, columns)) {
        if (found.length >= limit) break;
        const { sql, values } = joined([way, part]);
        const select = `SELECT doc FROM ${from} WHERE ${sql} ORDER BY ${part.order} LIMIT ?`;
        const rows = this.statements.of(select).all(...values, limit - found.length);
        for (const row of rows) found.push(String(row['doc']));
      }
      return found;
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

  private counted(what: string, values: readonly string[]): number {
    return Number(this.statements.of(`SELECT ${what}`).get(...values)?.['n']);
  }
}
