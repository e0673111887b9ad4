import type { Document, Where } from '../../../kernel/projection.js';
import type { Held, Query } from '../../../ports/read-store.port.js';
import type { WriteTexts } from './commit-texts.js';
import { limitOf, stretches } from './query.js';
import type { Statements } from './statements.js';
import { matching } from './where.js';

/** Documents of one table. The table's name must already be quoted. */
export class Documents {
  constructor(private readonly statements: Statements) {}

  get(table: string, id: string): Document | undefined {
    const row = this.statements.of(`SELECT doc FROM ${table} WHERE id = ?`).get(id);
    return row && documentOf(row);
  }

  load(table: string, ids: readonly string[]): ReadonlyMap<string, Held> {
    const one = this.statements.of(`SELECT doc, position FROM ${table} WHERE id = ?`);
    const held = new Map<string, Held>();
    for (const id of ids) {
      const row = one.get(id);
      if (row !== undefined) held.set(id, { document: documentOf(row), position: Number(row.position) });
    }
    return held;
  }

  find(table: string, query: Query): readonly Document[] {
    const limit = limitOf(query);
    const parts = stretches(query);
    const found: Document[] = [];
    const collect = () => {
      for (const { sql, values, order } of parts) {
        if (found.length >= limit) return;
        const statement = this.statements.of(`SELECT doc FROM ${table} WHERE ${sql} ORDER BY ${order} LIMIT ?`);
        for (const row of statement.all(...values, limit - found.length)) found.push(documentOf(row));
      }
    };
    if (parts.length === 1) collect();
    else this.statements.snapshot(collect);
    return found;
  }

  count(table: string, where: Where): number {
    const { sql, values } = matching(where);
    const row = this.statements.of(`SELECT count(*) AS n FROM ${table} WHERE ${sql}`).get(...values);
    return Number(row?.n);
  }

  /** Must run inside a write. */
  apply(table: string, write: WriteTexts): void {
    switch (write.kind) {
      case 'put': {
        const put = `INSERT INTO ${table} VALUES (?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET doc = excluded.doc, position = excluded.position`;
        this.statements.of(put).run(write.id, write.document, write.position);
        return;
      }
      case 'remove':
        this.statements.of(`DELETE FROM ${table} WHERE id = ?`).run(write.id);
        return;
      case 'removeWhere': {
        const { sql, values } = matching(write.where);
        this.statements.of(`DELETE FROM ${table} WHERE ${sql}`).run(...values);
      }
    }
  }

  /** One after the other, in the order of their ids, never holding all of them in memory. */
  *all(table: string): Iterable<Document> {
    for (const row of this.statements.of(`SELECT doc FROM ${table} ORDER BY id`).iterate()) yield documentOf(row);
  }
}

const documentOf = (row: Readonly<Record<string, unknown>>): Document => JSON.parse(String(row.doc));
