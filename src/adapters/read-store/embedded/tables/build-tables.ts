import type { DocumentChange, PartIndex, Projection } from '../../../../kernel/record/projection.js';
import type { Build, PreparedCollection, PreparedCollections } from '../../../../ports/read-store.port.js';
import { type Fields, inDocument } from '../fields.js';
import type { Statements } from '../statements.js';
import { columnDefinitions, inColumns, indexedFields, storedFields } from './indexed-columns.js';
import { entriesColumns, PartIndexEntries, type PartIndexes, partIndexes, whereText } from './part-indexes.js';
import { quoted, type TableIndex, TableIndexes } from './table-indexes.js';

interface Layout {
  readonly number: unknown;
  /** The projection that owns each collection, including collections that no longer have a table. */
  readonly owners: Map<string, string>;
  readonly active: Map<string, string>;
  readonly tables: Map<string, string>;
  /** Builds that share a checkpoint, by projection. `shared` names the build under which the checkpoint is stored. */
  readonly members: ReadonlyMap<string, { readonly generation: string; readonly shared: string }>;
  readonly searchable: Map<string, readonly string[]>;
  readonly fields: Map<string, Fields>;
  readonly indexes: ReadonlyMap<string, PartIndexes>;
}

export interface BuildTable {
  /** Name of the table, quoted for SQL. */
  readonly table: string;
  readonly fields: Fields;
  /** Document members whose values are copied for searching. Undefined if the table has no column for copies. */
  readonly searchable: readonly string[] | undefined;
  readonly entries: string;
  readonly indexes: PartIndexes;
}

const tableOf = (collection: string, generation: string) => `${collection}@${generation}`;
const titleOf = (projection: string, generation: string) => `${projection} ${generation}`;
const entriesOf = (table: string) => `${table} entries`;
const noIndexes = partIndexes([]);
/** Tables of earlier versions have no columns for fields. */
const fieldsIn = ({ fields }: Pick<Layout, 'fields'>, table: string) => fields.get(table) ?? inDocument;

/**
 * Caches the layout, and reads it again when the number in the table `layout` has changed, because other processes can
 * prepare, activate or discard builds in the same file.
 */
export class BuildTables {
  private known: Layout | undefined;
  private isFresh = false;

  private readonly indexes: TableIndexes;

  constructor(private readonly statements: Statements) {
    this.indexes = new TableIndexes(statements);
  }

  /**
   * The collection can also belong to another build that shares this build's checkpoint.
   * @throws Error if the collection was not prepared
   */
  tableFor(build: Build, collection: string): BuildTable {
    return this.room(this.nameOf(build, collection));
  }

  private room(table: string): BuildTable {
    const { searchable, fields, indexes } = this.layout();
    return {
      table: quoted(table),
      fields: fieldsIn({ fields }, table),
      searchable: searchable.get(table),
      entries: quoted(entriesOf(table)),
      indexes: indexes.get(table) ?? noIndexes,
    };
  }

  private nameOf(build: Build, collection: string): string {
    const { owners, members, tables } = this.layout();
    const table = tableOf(collection, build.generation);
    if (tables.get(table) === build.projection) return table;
    const owner = owners.get(collection) ?? '';
    const member = members.get(owner);
    if (member?.shared === titleOf(build.projection, build.generation)) {
      const shared = tableOf(collection, member.generation);
      if (tables.get(shared) === owner) return shared;
    }
    throw new Error(
      `The collection ${collection} was not prepared in the build ${build.projection} ${build.generation}.`,
    );
  }

  /**
   * Undefined if the collection has no active build.
   * @throws Error if no projection owns the collection
   */
  active(collection: string): BuildTable | undefined {
    const { owners, active, tables } = this.layout();
    const owner = owners.get(collection);
    if (owner === undefined) throw new Error(`No projection owns a collection named ${collection}.`);
    const table = tableOf(collection, active.get(owner) ?? '');
    return tables.has(table) ? this.room(table) : undefined;
  }

  activeGeneration(projection: string): string | undefined {
    return this.layout().active.get(projection);
  }

  /** Must be called inside a write transaction. */
  prepare(build: Build, collections: PreparedCollections): void {
    this.lookAgain();
    const layout = this.layout();
    let isChanged = false;
    for (const [collection, declared] of Object.entries(collections)) {
      const table = tableOf(collection, build.generation);
      if (layout.owners.get(collection) !== build.projection) {
        this.own(layout, collection, build.projection);
        isChanged = true;
      }
      const isThere = layout.tables.has(table);
      if (!isThere) {
        this.make(layout, build, collection, declared);
        isChanged = true;
      }
      this.indexes.follow(table, fieldsIn(layout, table), declared.indexes, isThere);
    }
    if (isChanged) this.known = { ...layout, number: this.nextNumber() };
  }

  /** Must be called inside a write transaction. */
  activate({ projection, generation }: Build): void {
    this.lookAgain();
    const layout = this.layout();
    const choose = 'UPDATE builds SET active = (generation = ?) WHERE projection = ?';
    this.statements.prepared(choose).run(generation, projection);
    layout.active.set(projection, generation);
    this.known = { ...layout, number: this.nextNumber() };
  }

  discard(build: Build): void {
    const { projection, generation } = build;
    const rooms = this.statements
      .prepared('SELECT collection FROM rooms WHERE projection = ? AND generation = ?')
      .all(projection, generation);
    for (const { collection } of rooms) {
      const table = tableOf(String(collection), generation);
      this.statements.prepared(`DROP TABLE ${quoted(table)}`).run();
      this.statements.prepared(`DROP TABLE IF EXISTS ${quoted(entriesOf(table))}`).run();
      this.statements.prepared('DELETE FROM searchable WHERE name = ?').run(table);
      this.statements.prepared('DELETE FROM part_indexes WHERE name = ?').run(table);
    }
    for (const table of ['rooms', 'builds', 'members']) {
      this.statements
        .prepared(`DELETE FROM ${table} WHERE projection = ? AND generation = ?`)
        .run(projection, generation);
    }
    this.changed();
  }

  /** Must be called inside a write transaction. */
  addPartIndex(build: Build, collection: string, { where, field }: PartIndex): void {
    const table = this.nameOf(build, collection);
    const add = 'INSERT INTO part_indexes (name, scope, field) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
    if (this.statements.prepared(add).run(table, whereText(where), field).changes === 0) return;
    this.changed();
    const room = this.room(table);
    const made = room.indexes.byScope.get(whereText(where))?.find((listed) => listed.field === field);
    if (made !== undefined) new PartIndexEntries(this.statements, room).fill(where, made);
  }

  /** If `field` is given, drops only the index on that field. Must be called inside a write transaction. */
  dropPartIndexes(build: Build, collection: string, { where, field }: Dropped): void {
    const table = this.nameOf(build, collection);
    const room = this.room(table);
    const entries = new PartIndexEntries(this.statements, room);
    for (const listed of room.indexes.byScope.get(whereText(where)) ?? []) {
      if (field !== undefined && listed.field !== field) continue;
      entries.empty(listed);
      this.statements.prepared('DELETE FROM part_indexes WHERE number = ?').run(listed.number);
    }
    this.changed();
  }

  /** Makes every connection read the layout again. Must be called inside a write transaction. */
  changed(): void {
    this.nextNumber();
    this.forget();
  }

  private nextNumber(): unknown {
    return this.statements.prepared('UPDATE layout SET number = number + 1 RETURNING number').get()?.number;
  }

  /** The next use of the layout checks for changes by other connections, even in the same turn of the event loop. */
  lookAgain(): void {
    this.isFresh = false;
  }

  /**
   * Discards the cached layout, because it might have been read inside a write transaction that was then rolled back.
   */
  forget(): void {
    this.isFresh = false;
    this.known = undefined;
  }

  private own({ owners }: Layout, collection: string, projection: string): void {
    const inUse = this.statements.prepared('SELECT 1 FROM rooms WHERE collection = ?').get(collection) !== undefined;
    if (inUse) {
      throw new Error(`The collection ${collection} belongs to ${owners.get(collection)}, not to ${projection}.`);
    }
    this.statements.prepared('INSERT OR REPLACE INTO collections VALUES (?, ?)').run(collection, projection);
    owners.set(collection, projection);
  }

  private make(layout: Layout, build: Build, collection: string, declared: PreparedCollection): void {
    const { searchable } = declared;
    const { projection, generation } = build;
    const table = tableOf(collection, generation);
    if (!/^[A-Za-z0-9_]+$/.test(generation)) throw new Error(`Invalid name of a generation: ${generation}.`);
    if (!/^[A-Za-z][A-Za-z0-9_.-]*$/.test(collection)) throw new Error(`Invalid name of a collection: ${collection}.`);
    const extracted = indexedFields(declared);
    // With the type ANY, SQLite does not convert ids to numbers in comparisons. The table is not WITHOUT ROWID, so
    // inserting a random id moves only keys of the separate index and not whole documents, which allows 50 % more
    // writes (measured).
    this.statements
      .prepared(
        `CREATE TABLE ${quoted(table)} (id ANY PRIMARY KEY NOT NULL, ${columnDefinitions(extracted)}
          doc TEXT NOT NULL, position INTEGER NOT NULL${searchable === undefined ? '' : ', copies TEXT NOT NULL'}) STRICT`,
      )
      .run();
    layout.fields.set(table, inColumns(extracted));
    if (searchable !== undefined) {
      this.statements.prepared('INSERT INTO searchable VALUES (?, ?)').run(table, JSON.stringify(searchable));
      layout.searchable.set(table, searchable);
      const entries = `CREATE TABLE ${quoted(entriesOf(table))} (${entriesColumns}) STRICT, WITHOUT ROWID`;
      this.statements.prepared(entries).run();
    }
    this.statements.prepared('INSERT INTO rooms VALUES (?, ?, ?)').run(collection, generation, projection);
    layout.tables.set(table, projection);
  }

  missing(build: Build, collections: Projection['collections']): readonly TableIndex[] {
    const { tables, fields } = this.layout();
    return Object.entries(collections).flatMap(([collection, { indexes }]) => {
      const table = tableOf(collection, build.generation);
      if (tables.get(table) !== build.projection) return [];
      return this.indexes.missing(table, fieldsIn({ fields }, table), indexes);
    });
  }

  /** Checks the number once per turn of the event loop, so a change by another process is noticed in the next turn. */
  private layout(): Layout {
    if (this.known !== undefined && this.isFresh) return this.known;
    this.isFresh = true;
    setImmediate(() => {
      this.isFresh = false;
    });
    const number = this.statements.prepared('SELECT number FROM layout').get()?.number;
    if (this.known !== undefined && this.known.number === number) return this.known;
    const rows = (sql: string) => this.statements.prepared(sql).all().map(Object.values) as [string, string, string][];
    this.known = {
      number,
      owners: new Map(rows('SELECT name, projection FROM collections').map(([name, owner]) => [name, owner])),
      active: new Map(rows('SELECT projection, generation FROM builds WHERE active = 1').map(([p, g]) => [p, g])),
      tables: new Map(
        rows('SELECT collection, generation, projection FROM rooms').map(([c, g, p]) => [tableOf(c, g), p]),
      ),
      members: new Map(
        this.statements
          .prepared('SELECT projection, generation, area, shared_generation AS next FROM members')
          .all()
          .map(({ projection, generation, area, next }) => [
            String(projection),
            { generation: String(generation), shared: titleOf(String(area), String(next)) },
          ]),
      ),
      searchable: new Map(
        this.statements
          .prepared('SELECT name, members FROM searchable')
          .all()
          .map(({ name, members }) => [String(name), JSON.parse(String(members))]),
      ),
      fields: storedFields(this.statements),
      indexes: this.partIndexes(),
    };
    return this.known;
  }

  private partIndexes(): ReadonlyMap<string, PartIndexes> {
    const all = this.statements.prepared('SELECT number, name, scope, field FROM part_indexes').all();
    const rows = all.map(({ number, name, scope, field }) => ({
      number: Number(number),
      name: String(name),
      scope: String(scope),
      field: String(field),
    }));
    return new Map([...Map.groupBy(rows, ({ name }) => name)].map(([name, some]) => [name, partIndexes(some)]));
  }
}

type Dropped = Extract<DocumentChange, { kind: 'dropIndex' }>['index'];
