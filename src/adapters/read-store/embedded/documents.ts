import type { Document, Where } from '../../../kernel/record/projection.js';
import type { Held, Query } from '../../../ports/read-store.port.js';
import type { WriteTexts } from './commits/commit-texts.js';
import { limitOf, type Stretch, skipOf, stretches } from './queries/query.js';
import type { RowMemory } from './queries/row-memory.js';
import { SearchedDocuments } from './queries/searched-documents.js';
import { matching } from './queries/where.js';
import type { Statements } from './statements.js';
import type { Room } from './tables/build-tables.js';

type DocumentWrite = Extract<WriteTexts, { kind: 'put' | 'remove' | 'removeWhere' }>;
type Put = Extract<WriteTexts, { kind: 'put' }>;

/** So many are loaded one by one. */
const few = 10;
/** Texts that JSON and SQLite keep as they are. */
const plainId = /^[\w./@:-]+$/;

/** Documents of one table. The table's name must already be quoted. */
export class Documents {
  constructor(
    private readonly statements: Statements,
    private readonly memory: RowMemory,
  ) {}

  get(table: string, id: string): Document | undefined {
    const [text] = this.memory.of(`${table}\n${id}`, () => {
      const row = this.statements.of(`SELECT doc FROM ${table} WHERE id = ?`).get(id);
      return row === undefined ? [] : [String(row.doc)];
    });
    return text === undefined ? undefined : JSON.parse(text);
  }

  load(table: string, ids: readonly string[]): ReadonlyMap<string, Held> {
    if (ids.length > few && ids.every((id) => plainId.test(id))) return this.loadTogether(table, ids);
    const one = this.statements.of(`SELECT doc, position FROM ${table} WHERE id = ?`);
    const held = new Map<string, Held>();
    for (const id of ids) {
      const row = one.get(id);
      if (row !== undefined) held.set(id, { document: documentOf(row), position: Number(row.position) });
    }
    return held;
  }

  private loadTogether(table: string, ids: readonly string[]): ReadonlyMap<string, Held> {
    // CROSS JOIN: the table is asked for each id, and never gone through.
    const all = `SELECT t.id, t.doc, t.position FROM json_each(?) asked CROSS JOIN ${table} t ON t.id = asked.value`;
    const rows = this.statements.of(all).all(JSON.stringify(ids));
    return new Map(rows.map((row) => [String(row.id), { document: documentOf(row), position: Number(row.position) }]));
  }

  find(table: string, query: Query): readonly Document[] {
    const limit = limitOf(query);
    const skip = skipOf(query);
    const parts = stretches(query);
    const rowsOf = ({ sql, values, order }: Stretch, most: number) =>
      this.statements
        .of(`SELECT doc FROM ${table} WHERE ${sql} ORDER BY ${order} LIMIT ? OFFSET ?`)
        .all(...values, most, skip)
        .map((row) => String(row.doc));
    const [only] = parts;
    if (only !== undefined && parts.length === 1) {
      const name = JSON.stringify([table, only.sql, only.order, limit, skip, only.values]);
      return this.memory.of(name, () => rowsOf(only, limit)).map((text) => JSON.parse(text));
    }
    const found: string[] = [];
    this.statements.snapshot(() => {
      for (const part of parts) {
        if (found.length >= limit) return;
        for (const row of rowsOf(part, limit - found.length)) found.push(row);
      }
    });
    return found.map((text) => JSON.parse(text));
  }

  count(table: string, where: Where): number {
    const { sql, values } = matching(where);
    const row = this.statements.of(`SELECT count(*) AS n FROM ${table} WHERE ${sql}`).get(...values);
    return Number(row?.n);
  }

  /** Must run inside a write. */
  apply(room: Room, write: DocumentWrite): void {
    const { table, searchable } = room;
    const searched = searchable && new SearchedDocuments(this.statements, room, searchable);
    switch (write.kind) {
      case 'put':
        if (searched !== undefined) searched.put(write);
        else this.put(table, write);
        return;
      case 'remove':
        searched?.beforeRemoval(write.id);
        this.statements.of(`DELETE FROM ${table} WHERE id = ?`).run(write.id);
        return;
      case 'removeWhere': {
        searched?.beforeRemovalWhere(write.where);
        const { sql, values } = matching(write.where);
        this.statements.of(`DELETE FROM ${table} WHERE ${sql}`).run(...values);
      }
    }
  }

  private put(table: string, { id, document, position }: Put): void {
    const put = `INSERT INTO ${table} VALUES (?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET doc = excluded.doc, position = excluded.position`;
    this.statements.of(put).run(id, document, position);
  }

  /** One after the other, in the order of their ids, never holding all of them in memory. */
  *all(table: string): Iterable<Document> {
    for (const row of this.statements.of(`SELECT doc FROM ${table} ORDER BY id`).iterate()) yield documentOf(row);
  }
}

const documentOf = (row: Readonly<Record<string, unknown>>): Document => JSON.parse(String(row.doc));
