import { canonicalJson } from '../../../../kernel/json/canonical-json.js';
import type { Document, PartIndex, Where } from '../../../../kernel/record/projection.js';
import { ownFieldOf } from '../../../../kernel/rows/row-filter.js';
import { boundValue, type Fields } from '../fields.js';
import { matching } from '../queries/where.js';
import type { Statements } from '../statements.js';

export interface Listed {
  readonly number: number;
  /** Value of the column `list` for entries by the value of `field`. Each document has one of these entries. */
  readonly values: number;
  /**
   * Value of the column `list` for entries by the texts in `field`, if its value is a list. A document has one of these
   * entries for each text.
   */
  readonly texts: number;
  readonly field: string;
}

/**
 * The scope of an index is the `where` that selects its documents. `scopes` has the field names of each scope. The keys
 * of `byScope` are scopes as JSON.
 */
export interface PartIndexes {
  readonly scopes: readonly (readonly string[])[];
  readonly byScope: ReadonlyMap<string, readonly Listed[]>;
}

/** SQL literals for values that are neither texts nor numbers. They are blobs, so they sort after texts and numbers. */
export const marks = { false: "x'00'", true: "x'01'", nested: "x'fe'", missing: "x'ff'" } as const;

interface Entry {
  readonly list: number;
  readonly mark: string | undefined;
  readonly value: string;
}

/** `at` is the indexed value, and `found` the document's id. The primary key sorts each list by value. */
export const entriesColumns =
  'list INTEGER NOT NULL, at ANY NOT NULL, found ANY NOT NULL, PRIMARY KEY (list, at, found)';

export function partIndexes(rows: readonly { number: number; scope: string; field: string }[]): PartIndexes {
  const scopes = new Map<string, readonly string[]>();
  for (const { scope } of rows) {
    const names = Object.keys(JSON.parse(scope)).sort();
    scopes.set(names.join('\n'), names);
  }
  const listed = ({ number, field }: (typeof rows)[number]) => ({
    number,
    values: 2 * number,
    texts: 2 * number + 1,
    field,
  });
  const byScope = Map.groupBy(rows, ({ scope }) => scope);
  return {
    scopes: [...scopes.values()],
    byScope: new Map([...byScope].map(([scope, some]) => [scope, some.map(listed)])),
  };
}

export function holding({ scopes, byScope }: PartIndexes, ofName: (name: string) => unknown): readonly Listed[] {
  return scopes.flatMap((names) => {
    const values = names.map((name) => [name, ofName(name)] as const);
    if (values.some(([, value]) => typeof value !== 'string')) return [];
    return byScope.get(whereText(Object.fromEntries(values))) ?? [];
  });
}

export const ownOf = (where: object, name: string): unknown => Object.entries(where).find(([key]) => key === name)?.[1];

export const whereText = (where: object): string => canonicalJson(where);

interface Covered {
  readonly table: string;
  readonly entries: string;
  readonly fields: Fields;
  readonly indexes: PartIndexes;
}

/** All methods must be called inside a write transaction. */
export class PartIndexEntries {
  private readonly table: string;
  private readonly entries: string;
  private readonly fields: Fields;
  private readonly indexes: PartIndexes;

  constructor(
    private readonly statements: Statements,
    { table, entries, fields, indexes }: Covered,
  ) {
    this.table = table;
    this.entries = entries;
    this.fields = fields;
    this.indexes = indexes;
  }

  /**
   * Must be called before the document is written or removed.
   * @param next undefined if the document will be removed
   */
  change(id: string, next: Document | undefined): void {
    if (this.indexes.scopes.length === 0) return;
    const row = this.statements.prepared(`SELECT doc FROM ${this.table} WHERE id = ?`).get(id);
    const before = row === undefined ? new Map<string, Entry>() : this.entriesOf(JSON.parse(String(row.doc)));
    const after = next === undefined ? new Map<string, Entry>() : this.entriesOf(next);
    for (const [key, entry] of before) if (!after.has(key)) this.write('remove', id, entry);
    for (const [key, entry] of after) if (!before.has(key)) this.write('add', id, entry);
  }

  /** Must be called before the documents are removed. */
  removeWhere(where: Where): void {
    const { sql, values } = matching(where, this.fields);
    for (const [scope, listed] of this.indexes.byScope) {
      const covering: PartIndex['where'] = JSON.parse(scope);
      if (Object.entries(covering).some(([name, value]) => isOther(ownOf(where, name), value))) continue;
      for (const list of listed.flatMap(({ values, texts }) => [values, texts])) {
        const remove = `DELETE FROM ${this.entries} WHERE list = ? AND found IN (SELECT id FROM ${this.table} WHERE ${sql})`;
        this.statements.prepared(remove).run(list, ...values);
      }
    }
  }

  fill(where: PartIndex['where'], { values: list, texts, field }: Listed): void {
    const { value, type, literal } = this.fields(field);
    const scope = matching(where, this.fields);
    const at = `CASE ${type} WHEN 'text' THEN ${value} WHEN 'integer' THEN ${value} WHEN 'real' THEN ${value}
      WHEN 'true' THEN ${marks.true} WHEN 'false' THEN ${marks.false}
      WHEN 'array' THEN ${marks.nested} WHEN 'object' THEN ${marks.nested} ELSE ${marks.missing} END`;
    const one = `INSERT INTO ${this.entries} SELECT ?, ${at} AS at, id FROM ${this.table} WHERE ${scope.sql} ORDER BY at, id`;
    this.statements.prepared(one).run(list, ...scope.values);
    const each = `INSERT OR IGNORE INTO ${this.entries} SELECT ?, own.value, ${this.table}.id
      FROM ${this.table}, json_each(${this.table}.doc, ${literal}) AS own
      WHERE ${type.replace('(doc', `(${this.table}.doc`)} = 'array' AND own.type = 'text'
      AND ${this.table}.id IN (SELECT id FROM ${this.table} WHERE ${scope.sql})`;
    this.statements.prepared(each).run(texts, ...scope.values);
  }

  empty({ values, texts }: Listed): void {
    this.statements.prepared(`DELETE FROM ${this.entries} WHERE list IN (?, ?)`).run(values, texts);
  }

  private entriesOf(document: Document): ReadonlyMap<string, Entry> {
    const all = holding(this.indexes, (name) => ownFieldOf(document, name)).flatMap((listed) =>
      entriesOf(document, listed),
    );
    return new Map(all.map((entry) => [`${entry.list} ${entry.mark ?? entry.value}`, entry]));
  }

  private write(what: 'add' | 'remove', id: string, { list, mark, value }: Entry): void {
    const at = mark ?? boundValue;
    const values = mark === undefined ? [value] : [];
    const sql =
      what === 'add'
        ? `INSERT OR IGNORE INTO ${this.entries} VALUES (?, ${at}, ?)`
        : `DELETE FROM ${this.entries} WHERE list = ? AND at = ${at} AND found = ?`;
    this.statements.prepared(sql).run(list, ...values, id);
  }
}

const isOther = (needed: unknown, covering: string) => typeof needed === 'string' && needed !== covering;

function entriesOf(document: Document, { values, texts, field }: Listed): readonly Entry[] {
  const value = ownFieldOf(document, field);
  if (typeof value === 'string' || typeof value === 'number') {
    return [{ list: values, mark: undefined, value: JSON.stringify(value) }];
  }
  if (value === undefined) return [{ list: values, mark: marks.missing, value: '' }];
  if (typeof value === 'boolean') return [{ list: values, mark: value ? marks.true : marks.false, value: '' }];
  const nested = { list: values, mark: marks.nested, value: '' };
  if (!Array.isArray(value)) return [nested];
  const parts = value.filter((one) => typeof one === 'string');
  return [nested, ...parts.map((one) => ({ list: texts, mark: undefined, value: JSON.stringify(one) }))];
}
