import type { Document, Where } from '../../../kernel/record/projection.js';
import type { PositionedDocument, Query } from '../../../ports/read-store.port.js';
import type { WriteTexts } from './commits/commit-texts.js';
import { type KeysetRange, keysetRanges, limitOf, skipOf } from './queries/query.js';
import type { RowMemory } from './queries/row-memory.js';
import { SearchedDocuments } from './queries/searched-documents.js';
import { matching } from './queries/where.js';
import type { Statements } from './statements.js';
import type { BuildTable } from './tables/build-tables.js';
import { columnsIn } from './tables/columns.js';

type DocumentWrite = Extract<WriteTexts, { kind: 'put' | 'remove' | 'removeWhere' }>;
type Put = Extract<WriteTexts, { kind: 'put' }>;

/** Up to this number, documents are loaded one by one. */
const few = 10;
/** Ids that JSON and SQLite leave unchanged, so they can be passed as one JSON list. */
const plainId = /^[\w./@:-]+$/;

export class Documents {
  constructor(
    private readonly statements: Statements,
    private readonly memory: RowMemory,
  ) {}

  get(table: string, id: string): Document | undefined {
    const [text] = this.memory.cached(`${table}\n${id}`, () => {
      const row = this.statements.prepared(`SELECT doc FROM ${table} WHERE id = ?`).get(id);
      return row === undefined ? [] : [String(row.doc)];
    });
    return text === undefined ? undefined : JSON.parse(text);
  }

  load(table: string, ids: readonly string[]): ReadonlyMap<string, PositionedDocument> {
    if (ids.length > few && ids.every((id) => plainId.test(id))) return this.loadTogether(table, ids);
    const one = this.statements.prepared(`SELECT doc, position FROM ${table} WHERE id = ?`);
    const loaded = new Map<string, PositionedDocument>();
    for (const id of ids) {
      const row = one.get(id);
      if (row !== undefined) loaded.set(id, { document: documentOf(row), position: Number(row.position) });
    }
    return loaded;
  }

  private loadTogether(table: string, ids: readonly string[]): ReadonlyMap<string, PositionedDocument> {
    // With CROSS JOIN, SQLite always looks the ids up in the table instead of scanning it.
    const all = `SELECT t.id, t.doc, t.position FROM json_each(?) asked CROSS JOIN ${table} t ON t.id = asked.value`;
    const rows = this.statements.prepared(all).all(JSON.stringify(ids));
    return new Map(rows.map((row) => [String(row.id), { document: documentOf(row), position: Number(row.position) }]));
  }

  find({ table, fields }: BuildTable, query: Query): readonly Document[] {
    const limit = limitOf(query);
    const skip = skipOf(query);
    const parts = keysetRanges(query, columnsIn(fields));
    const rowsOf = ({ sql, values, order }: KeysetRange, most: number) =>
      this.statements
        .prepared(`SELECT doc FROM ${table} WHERE ${sql} ORDER BY ${order} LIMIT ? OFFSET ?`)
        .all(...values, most, skip)
        .map((row) => String(row.doc));
    const [only] = parts;
    if (only !== undefined && parts.length === 1) {
      const name = JSON.stringify([table, only.sql, only.order, limit, skip, only.values]);
      return this.memory.cached(name, () => rowsOf(only, limit)).map((text) => JSON.parse(text));
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

  count({ table, fields }: BuildTable, where: Where): number {
    const { sql, values } = matching(where, fields);
    const row = this.statements.prepared(`SELECT count(*) AS n FROM ${table} WHERE ${sql}`).get(...values);
    return Number(row?.n);
  }

  /** Must be called inside a write transaction. */
  apply(room: BuildTable, write: DocumentWrite): void {
    const { table, fields, searchable } = room;
    const searched = searchable && new SearchedDocuments(this.statements, room, searchable);
    switch (write.kind) {
      case 'put':
        if (searched !== undefined) searched.put(write);
        else this.put(table, write);
        return;
      case 'remove':
        searched?.beforeRemoval(write.id);
        this.statements.prepared(`DELETE FROM ${table} WHERE id = ?`).run(write.id);
        return;
      case 'removeWhere': {
        searched?.beforeRemovalWhere(write.where);
        const { sql, values } = matching(write.where, fields);
        this.statements.prepared(`DELETE FROM ${table} WHERE ${sql}`).run(...values);
      }
    }
  }

  private put(table: string, { id, document, position }: Put): void {
    const put = `INSERT INTO ${table} VALUES (?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET doc = excluded.doc, position = excluded.position`;
    this.statements.prepared(put).run(id, document, position);
  }

  /** Yields documents one by one, without holding all of them in memory. */
  *all(table: string): Iterable<Document> {
    for (const row of this.statements.prepared(`SELECT doc FROM ${table} ORDER BY id`).iterate()) yield documentOf(row);
  }
}

const documentOf = (row: Readonly<Record<string, unknown>>): Document => JSON.parse(String(row.doc));
