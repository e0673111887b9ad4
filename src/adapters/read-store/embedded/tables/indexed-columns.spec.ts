import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Query } from '../../../../ports/read-store.port.js';
import { EmbeddedReadStore } from '../embedded-read-store.adapter.js';
import { inDocument } from '../fields.js';
import { keysetRanges } from '../queries/query.js';
import { Statements } from '../statements.js';
import { BuildTables } from './build-tables.js';
import { columnsIn } from './columns.js';

const build = { projection: 'orders', generation: 'v1_0' };
const indexes = [{ fields: ['shop', 'total'] }];
const query: Query = { where: { shop: 's1' }, sort: [['total', 'asc']] };
const documents = ['5', '1', 'true', '"1"', 'null'].map((total, n) => ({
  id: `o${n}`,
  workspaceId: 'ws_1',
  shop: 's1',
  total: JSON.parse(total) as unknown,
}));

let directory: string;
let store: EmbeddedReadStore;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'columns-'));
  store = new EmbeddedReadStore({ directory, patienceMs: 0 });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

function besideStore<T>(work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(directory, 'read.db'));
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const indexesOf = (database: DatabaseSync) =>
  database
    .prepare(`SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'orders@v1_0' AND sql IS NOT NULL`)
    .all()
    .map(({ sql }) => String(sql).replace(/.* ON "orders@v1_0" /, ''));

function planOf(database: DatabaseSync): readonly string[] {
  const { fields } = new BuildTables(new Statements(database)).active('orders') ?? { fields: inDocument };
  return keysetRanges(query, columnsIn(fields)).flatMap(({ sql, order, values }) =>
    database
      .prepare(`EXPLAIN QUERY PLAN SELECT doc FROM "orders@v1_0" WHERE ${sql} ORDER BY ${order}`)
      .all(...values)
      .map(({ detail }) => String(detail)),
  );
}

async function fill(from: number): Promise<void> {
  const writes = documents.map((document) => ({
    kind: 'put' as const,
    collection: 'orders',
    document,
    position: from,
  }));
  await store.commit(build, from - 1, from, writes);
}

const found = async () => (await store.find('orders', query)).map(({ id }) => id);

it('creates indexes that are declared later over columns, so that it parses no document', async () => {
  await store.prepare(build, { orders: { indexes: [], later: indexes } });
  await fill(0);
  expect(besideStore(indexesOf)).toEqual([]);
  await store.prepare(build, { orders: { indexes } });
  await store.activate(build, { orders: { indexes } });
  expect(besideStore(indexesOf)).toEqual(['("$.shop", "$.total", id)']);
  expect(besideStore(planOf)).toEqual([expect.stringContaining('USING INDEX orders@v1_0#shop,total columns')]);
  expect(await found()).toEqual(['o4', 'o1', 'o2', 'o0', 'o3']);
});

it('changes a column with its document', async () => {
  await store.prepare(build, { orders: { indexes } });
  await store.activate(build, { orders: { indexes } });
  await fill(0);
  const document = { ...documents[0], id: 'o4', workspaceId: 'ws_1', total: 9 };
  await store.commit(build, 0, 1, [{ kind: 'put', collection: 'orders', position: 1, document }]);
  expect(await found()).toEqual(['o1', 'o2', 'o0', 'o4', 'o3']);
});

it('uses the indexes of a table that an earlier version created without columns', async () => {
  await store.prepare(build, { orders: { indexes } });
  await store.activate(build, { orders: { indexes } });
  await store.close();
  besideStore((database) => {
    const value = (field: string) => `json_extract(doc,'$."${field}"')`;
    database.exec(`DROP TABLE "orders@v1_0";
      CREATE TABLE "orders@v1_0" (id ANY PRIMARY KEY NOT NULL, doc TEXT NOT NULL, position INTEGER NOT NULL) STRICT;
      CREATE INDEX "orders@v1_0#shop,total" ON "orders@v1_0" (${value('shop')}, ${value('total')}, id)`);
  });
  store = new EmbeddedReadStore({ directory, patienceMs: 0 });
  await fill(0);
  expect(besideStore(planOf)).toEqual([expect.stringContaining('USING INDEX orders@v1_0#shop,total')]);
  expect(await found()).toEqual(['o4', 'o1', 'o2', 'o0', 'o3']);
  await store.prepare(build, { orders: { indexes: [...indexes, { fields: ['total'] }] } });
  expect(besideStore(indexesOf)).toHaveLength(2);
  expect(await found()).toEqual(['o4', 'o1', 'o2', 'o0', 'o3']);
});
