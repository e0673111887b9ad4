import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { EmbeddedReadStore } from '../../../src/adapters/read-store/embedded/embedded-read-store.adapter.js';
import { inDocument } from '../../../src/adapters/read-store/embedded/fields.js';
import { keysetRanges } from '../../../src/adapters/read-store/embedded/queries/query.js';
import { Statements } from '../../../src/adapters/read-store/embedded/statements.js';
import { BuildTables } from '../../../src/adapters/read-store/embedded/tables/build-tables.js';
import { columnsIn } from '../../../src/adapters/read-store/embedded/tables/columns.js';
import { type Query, queryLimits, ReadStoreUnavailable } from '../../../src/ports/read-store.port.js';
import { readStoreContract } from './read-store.contract.js';
import { collections, filled, idsOf, put, thing, v1, v2 } from './read-store-fixture.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'read-store-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

readStoreContract('embedded', async ({ limits = queryLimits } = {}) => {
  let store = new EmbeddedReadStore({ directory, limits, patienceMs: 0 });
  return {
    store,
    async reopen() {
      await store.close();
      store = new EmbeddedReadStore({ directory, patienceMs: 0 });
      return store;
    },
    close: () => store.close(),
  };
});

describe('the embedded read store', () => {
  let store: EmbeddedReadStore;
  beforeEach(() => {
    store = new EmbeddedReadStore({ directory, patienceMs: 0 });
  });
  afterEach(() => store.close());

  it('names an unknown collection in the error', async () => {
    const error = await store.get('thing', 'a').catch((reason: unknown) => reason);
    expect(error).toEqual(new Error('No projection owns a collection named thing.'));
    await expect(store.find('thing', { where: {} })).rejects.toThrow('thing');
    await expect(store.count('thing', {})).rejects.toThrow('thing');
    await store.prepare(v1, collections);
    await expect(store.commit(v1, -1, 0, [put(thing('a'), 0, 'other')])).rejects.toThrow(
      'The collection other was not prepared',
    );
    expect(await store.checkpoint(v1)).toBe(-1);
  });

  it('returns the last write, also after repeated reads, by this or another process', async () => {
    const other = new EmbeddedReadStore({ directory, patienceMs: 0 });
    const states = async () => {
      const got = await store.get<ReturnType<typeof thing>>('things', 'a');
      const [found] = await store.find<ReturnType<typeof thing>>('things', { where: { id: 'a' } });
      return [got, found];
    };
    await store.prepare(v1, collections);
    await store.activate(v1, collections);
    expect(await states()).toEqual([undefined, undefined]);
    for (const [at, writer] of [store, other, store, other].entries()) {
      const written = { ...thing('a'), at };
      // Large commits are written by the thread.
      const more = Array.from({ length: at < 2 ? 0 : 20 }, (_, n) => put(thing(`more-${n}`), at));
      const committed = writer.commit(v1, at - 1, at, [put(written, at), ...more]);
      writer.flushSoon();
      await committed;
      if (writer === other) await new Promise((resolve) => setImmediate(resolve));
      expect(await states()).toEqual([written, written]);
      expect(await states()).toEqual([written, written]);
    }
    const [one] = await states();
    Object.assign(one ?? {}, { at: 'changed by a reader' });
    expect(await states()).toEqual([expect.objectContaining({ at: 3 }), expect.objectContaining({ at: 3 })]);
    await other.close();
  });

  it('leaves a collection to one projection, until that has given up its last build', async () => {
    const other = { projection: 'other', generation: 'v9' };
    await store.prepare(v1, collections);
    await expect(store.prepare(other, collections)).rejects.toThrow('belongs to catalogue');
    expect(await store.builds('other')).toEqual([]);
    await store.discard(v1, collections);
    await store.prepare(other, collections);
    await store.activate(other, collections);
    expect(await store.get('things', 'a')).toBeUndefined();
  });

  it('activates only prepared builds', async () => {
    await expect(store.activate(v1, collections)).rejects.toThrow('The collection things was not prepared');
    await expect(store.activate(v1, {})).rejects.toThrow('There is no build');
  });

  it.each(['v1"; DROP TABLE builds --', 'v 1', ''])('refuses the generation %p', async (generation) => {
    await expect(store.prepare({ projection: 'p', generation }, collections)).rejects.toThrow('Invalid name');
  });

  it.each(["a'b", 'a"b', 'a..b', '', 'a\\b', 'a\nb'])('refuses the field path %p', async (field) => {
    await filled(store, [thing('a')]);
    await expect(store.find('things', { where: { [field]: 1 } })).rejects.toThrow('Invalid field path');
    await expect(store.find('things', { where: {}, sort: [[field, 'asc']] })).rejects.toThrow('Invalid field path');
  });

  it('treats any other character in a field name literally', async () => {
    const document = { ...thing('a'), 'a b-c[0]$#': { 'é;': 5 } };
    await filled(store, [document]);
    expect(await store.find('things', { where: { 'a b-c[0]$#.é;': 5 } })).toEqual([document]);
  });

  it('refuses an empty condition, because it would match everything', async () => {
    await filled(store, [thing('a')]);
    const wrong: readonly unknown[] = [
      undefined,
      {},
      { gt: undefined },
      { gte: null },
      { near: 1 },
      Number.NaN,
      [1],
      { in: 1 },
    ];
    for (const size of wrong) {
      await expect(store.find('things', { where: { size } } as Query)).rejects.toThrow('Invalid condition on size');
    }
    for (const limit of [-1, 1.5, Number.NaN]) {
      await expect(store.find('things', { where: {}, limit })).rejects.toThrow('Invalid limit');
    }
    await expect(store.find('things', { where: {}, after: [1, 'a'] })).rejects.toThrow(
      'must have 1 values here, not 2',
    );
  });

  it('distinguishes true from 1 and texts from numbers, also in ranges', async () => {
    const mixed = [true, 1, '1', false, 0, null].map((value, index) => ({ ...thing(`${index}`), value }));
    await filled(store, mixed);
    const ids = async (value: Query['where'][string]) => idsOf(await store.find('things', { where: { value } }));
    expect(await ids(true)).toEqual(['0']);
    expect(await ids(1)).toEqual(['1']);
    expect(await ids('1')).toEqual(['2']);
    expect(await ids(false)).toEqual(['3']);
    expect(await ids(0)).toEqual(['4']);
    expect(await ids({ gte: 0 })).toEqual(['1', '4']);
    expect(await ids({ lt: 'a' })).toEqual(['2']);
    expect(await ids({ in: [1, false] })).toEqual(['1', '3']);
  });

  it('distinguishes numbers by their last bit', async () => {
    const numbers = [0.1 + 0.2, 2 ** 60, 1.7976931348623157e308, 5e-324, 2 ** 53, 123456789012345680000];
    await filled(
      store,
      numbers.map((size, index) => thing(`${index}`, { size })),
    );
    for (const [index, size] of numbers.entries()) {
      expect(idsOf(await store.find('things', { where: { size } }))).toEqual([`${index}`]);
    }
  });

  it('enforces a unique index only for values that exist', async () => {
    const unique = { things: { indexes: [{ fields: ['name'], unique: true }] } };
    await store.prepare(v1, unique);
    await store.commit(v1, -1, 0, [put(thing('a')), put(thing('b', { name: null })), put(thing('c', { name: 'x' }))]);
    const twice = store.commit(v1, 0, 1, [put(thing('e')), put(thing('d', { name: 'x' }))]);
    await expect(twice).rejects.not.toBeInstanceOf(ReadStoreUnavailable);
    expect([...(await store.load(v1, 'things', ['a', 'b', 'c', 'd', 'e'])).keys()]).toEqual(['a', 'b', 'c']);
  });

  it.each<[string, Omit<Query, 'limit'>]>([
    ['a filter and a sort', { where: { workspaceId: 'w1' }, sort: [['size', 'desc']] }],
    ['a place', { where: { workspaceId: 'w1' }, sort: [['size', 'desc']], after: [3, 'a'] }],
    ['a place, upwards', { where: { workspaceId: 'w1' }, sort: [['size', 'asc']], after: [3, 'a'] }],
    ['a range', { where: { workspaceId: 'w1', size: { gte: 3 } }, sort: [['size', 'asc']] }],
    ['a truth, by id', { where: { open: true }, after: ['a'] }],
    ['a field inside another', { where: { 'owner.name': 'x' } }],
  ])('uses the declared index for %s, and never sorts', async (_, query) => {
    await filled(store, [thing('a')]);
    const beside = new DatabaseSync(join(directory, 'read.db'));
    const { fields } = new BuildTables(new Statements(beside)).active('things') ?? { fields: inDocument };
    for (const { sql, order, values } of keysetRanges(query, columnsIn(fields))) {
      const explained = beside.prepare(
        `EXPLAIN QUERY PLAN SELECT doc FROM "things@v1_0" WHERE ${sql} ORDER BY ${order}`,
      );
      const plan = explained.all(...values).map(({ detail }) => String(detail));
      expect(plan).toEqual([expect.stringMatching(/^SEARCH things@v1_0 USING INDEX things@v1_0#/)]);
    }
    beside.close();
  });

  it('releases statements that have not been used for long', () => {
    const statements = new Statements(new DatabaseSync(':memory:'));
    const often = statements.prepared('SELECT 0');
    for (let n = 1; n < 2000; n += 1) {
      statements.prepared(`SELECT ${n}`);
      expect(statements.prepared('SELECT 0') === often).toBe(true);
    }
    expect(statements.size).toBeLessThanOrEqual(256);
  });

  it('sees at once what another process has activated, discarded and written', async () => {
    await filled(store, [thing('a')]);
    const other = new EmbeddedReadStore({ directory, patienceMs: 0 });
    expect(idsOf(await other.find('things', { where: {} }))).toEqual(['a']);
    await filled(store, [thing('b')], v2);
    expect(await other.active('catalogue')).toBe('v2_0');
    expect(idsOf(await other.find('things', { where: {} }))).toEqual(['b']);
    await store.discard(v1, collections);
    expect(await other.builds('catalogue')).toEqual(['v2_0']);
    await store.commit(v2, 0, 1, [put(thing('c'))]);
    expect(idsOf(await other.find('things', { where: {} }))).toEqual(['b', 'c']);
    await other.close();
  });

  it('reads the new build if the old one is discarded in the middle of a query', async () => {
    await filled(store, [thing('a')]);
    const other = new EmbeddedReadStore({ directory, patienceMs: 0 });
    const { prepare } = DatabaseSync.prototype;
    DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql) {
      if (!sql.startsWith('SELECT doc FROM "things@v1_0"')) return prepare.call(this, sql);
      DatabaseSync.prototype.prepare = prepare;
      // These methods finish synchronously, although they return promises.
      void other.prepare(v2, collections);
      void other.activate(v2, collections);
      void other.discard(v1, collections);
      return prepare.call(this, sql);
    };
    expect(await store.get('things', 'a')).toBeUndefined();
    expect(await store.builds('catalogue')).toEqual(['v2_0']);
    await other.close();
  });

  it('creates indexes that were declared later and drops those no longer declared', async () => {
    const indexes = () => {
      const beside = new DatabaseSync(join(directory, 'read.db'));
      const names = beside.prepare(`SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`).all();
      beside.close();
      return names.map(({ name }) => name);
    };
    await store.prepare(v1, { things: { indexes: [{ fields: ['a'] }, { fields: ['b', 'c'] }] } });
    expect(indexes()).toEqual(['things@v1_0#a columns', 'things@v1_0#b,c columns']);
    await store.prepare(v1, { things: { indexes: [{ fields: ['b', 'c'] }, { fields: ['a'], unique: true }] } });
    expect(indexes().sort()).toEqual(['things@v1_0#a! columns', 'things@v1_0#b,c columns']);
  });

  it('is unavailable once it is closed, and may be closed twice', async () => {
    await store.close();
    await store.close();
    await expect(store.get('things', 'a')).rejects.toThrow(ReadStoreUnavailable);
    await expect(store.check()).rejects.toThrow('The read store is closed');
    await expect(store.find('things', { where: {}, missing: 'last' })).rejects.toThrow(ReadStoreUnavailable);
    const report = { where: {}, by: [], measures: [] };
    await expect(store.groups('things', report)).rejects.toThrow(ReadStoreUnavailable);
  });
});
