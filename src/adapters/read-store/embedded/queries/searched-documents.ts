import type { Document, Where } from '../../../../kernel/record/projection.js';
import type { WriteTexts } from '../commits/commit-texts.js';
import { copiesOf } from '../commits/copies.js';
import type { Statements } from '../statements.js';
import type { BuildTable } from '../tables/build-tables.js';
import { PartIndexEntries } from '../tables/part-indexes.js';

export class SearchedDocuments {
  private readonly entries: PartIndexEntries;

  constructor(
    private readonly statements: Statements,
    private readonly room: BuildTable,
    private readonly searchable: readonly string[],
  ) {
    this.entries = new PartIndexEntries(statements, room);
  }

  put({ id, document, position }: Extract<WriteTexts, { kind: 'put' }>): void {
    const parsed: Document = JSON.parse(document);
    this.entries.change(id, parsed);
    const put = `INSERT INTO ${this.room.table} VALUES (?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET doc = excluded.doc, position = excluded.position, copies = excluded.copies`;
    this.statements.prepared(put).run(id, document, position, copiesOf(parsed, this.searchable));
  }

  beforeRemoval(id: string): void {
    this.entries.change(id, undefined);
  }

  beforeRemovalWhere(where: Where): void {
    this.entries.removeWhere(where);
  }
}
