import { jest } from '@jest/globals';
import fc from 'fast-check';
import { MongoClient } from 'mongodb';
import { EmbeddedReadStore } from '../../../src/adapters/read-store/embedded/embedded-read-store.adapter.js';
import { MongoReadStore } from '../../../src/adapters/read-store/mongodb/mongo-read-store.adapter.js';
import type { Document } from '../../../src/kernel/record/projection.js';
import { CheckpointMoved, type Query, queryLimits, ReadStoreUnavailable } from '../../../src/ports/read-store.port.js';
import { eventually } from '../../support/eventually.js';
import { type MongoForTests, mongoForTests } from '../../support/mongodb/mongo-for-tests.js';
import { EmbeddedDirectory } from '../embedded-directory.js';
import { readStoreContract } from './read-store.contract.js';
import { collections, filled, idsOf, put, remove, type Thing, thing, v1, v2 } from './read-store-fixture.js';
import { indexOf, putRow, row, rowBuild, withRows } from './read-store-rows.js';

// A real server needs longer for the hundreds of collections of the property tests.
jest.setTimeout(120_000);

let mongo: MongoForTests;
beforeAll(async () => {
  mongo = await mongoForTests();
});
afterAll(() => mongo.close());

readStoreContract('mongodb', async ({ limits = queryLimits, slow } = {}) => {
  const options = { url: mongo.url, database: mongo.newDatabase(), limits };
  const slowly = {
    on: /^(find|aggregate)$/,
    collection: /^read\.rows@/,
    times: 1_000,
    mishap: { slowMs: 50 },
  } as const;
  const off = slow ? mongo.server?.fault(slowly) : undefined;
  let store = new MongoReadStore(options);
  return {
    store,
    async reopen() {
      await store.close();
      store = new MongoReadStore(options);
      return store;
    },
    close: async () => {
      off?.();
      await store.close();
    },
  };
});

describe('the read store on MongoDB', () => {
  let database = '';
  let store: MongoReadStore;
  let second: MongoReadStore;
  let beside: MongoClient;
  beforeEach(() => {
    database = mongo.newDatabase();
    store = new MongoReadStore({ url: mongo.url, database });
    second = new MongoReadStore({ url: mongo.url, database });
    beside = new MongoClient(mongo.url);
  });
  afterEach(async () => {
    await Promise.all([store, second, beside].map((one) => one.close()));
  });

  it('continues with builds that share a checkpoint if the process that rebuilt them was killed half-way', async () => {
    await filled(store, [thing('a')]);
    const shared = (generation: string) => ({ projection: 'area:x', generation });
    await store.share(shared('g1'), undefined, 0, [v1]);
    const checkpoints = beside.db(database).collection<{ readonly _id: string }>('read.checkpoints');
    const closed = { $set: { closed: true } };
    await checkpoints.updateOne({ _id: 'area:x/g1' }, closed, { writeConcern: { w: 'majority' } });
    await expect(store.commit(shared('g1'), 0, 3, [])).rejects.toThrow(CheckpointMoved);
    expect([await second.checkpoint(v1), (await second.shared('area:x'))?.generation]).toEqual([0, 'g1']);
    await second.share(shared('g2'), 'g1', 0, [v1]);
    await second.commit(shared('g2'), 0, 4, [put(thing('b'), 4)]);
    expect([await store.checkpoint(v1), idsOf(await store.find('things', { where: {} }))]).toEqual([4, ['a', 'b']]);
  });

  it('has one index for all searchable fields, however many fields customers create', async () => {
    await withRows(store, [indexOf('t1', 'values.word'), putRow(row('a', { word: 'x', size: 1 }))]);
    const room = beside.db(database).collection('read.rows@v1_0');
    const keys = (await room.indexes()).map(({ key }) => Object.keys(key as object).join());
    expect(keys).toEqual([
      '_id',
      'document.workspaceId,document.tableId,document.createdAt,_id',
      'document.values.$**',
    ]);
    const values = Array.from({ length: 100 }, (_, at) => indexOf('t1', `values.field ${at}`));
    await store.commit(rowBuild, 0, 1, values);
    expect(await room.indexes()).toHaveLength(3);
  });

  it('returns the exact text of a document with any keys and values', async () => {
    const texts = [
      '{"id":"a","workspaceId":"w1","$set":{"x":1},"a.b":{"$gt":2},"":{"":0},"$where":"1","__proto__":{"y":[1]}}',
      '{"workspaceId":"w1","id":"b","z":1,"a":2,"10":3,"constructor":{"prototype":null},"n":[1e21,-1.5e-7,0.1]}',
      '{"id":"c","workspaceId":"w1","ref":{"$ref":"x","$id":1,"$db":"y"},"zero":{"a\\u0000b":"\\u0000"},"lone":"\\ud800"}',
      '{"id":"e","workspaceId":"w1","_bsontype":1,"event":{"_bsontype":"ObjectId","id":{"_bsontype":{"x":1}}}}',
      `{"id":"d","workspaceId":"w1","deep":${'{"k":'.repeat(300)}1${'}'.repeat(300)},"list":${'['.repeat(200)}${']'.repeat(200)}}`,
    ];
    const odd = texts.map((text) => JSON.parse(text) as Document);
    await filled(store, odd);
    const found = await store.find('things', { where: {} });
    const byId = [...odd].sort((one, other) => (one.id < other.id ? -1 : 1));
    expect(found.map((one) => JSON.stringify(one))).toEqual(byId.map((one) => JSON.stringify(one)));
    const held = await store.load(v1, 'things', ['a', 'b', 'c', 'd', 'e']);
    expect(odd.map(({ id }) => JSON.stringify(held.get(id)?.document))).toEqual(texts.map(reread));
  });

  it('has the same digest as the embedded store', async () => {
    const directory = new EmbeddedDirectory();
    const embedded = new EmbeddedReadStore({ directory: directory.path });
    let n = 0;
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(anyDocument, { selector: ({ id }) => id, maxLength: 12 }), async (documents) => {
        n += 1;
        const build = { projection: 'catalogue', generation: `r${n}` };
        await filled(store, documents, build);
        await filled(embedded, documents, build);
        expect(await store.digest(build, collections)).toBe(await embedded.digest(build, collections));
      }),
      { numRuns: 25 },
    );
    await embedded.close();
    directory.remove();
  });

  it('treats any character in a field name literally', async () => {
    const document = { ...thing('a'), 'a b-c[0]$#%24': { 'é;': 5 }, $where: { $gt: 'x' } };
    await filled(store, [document, thing('b')]);
    const only = async (where: Query['where']) =>
      idsOf(await store.find('things', { where, sort: [['$where.$gt', 'asc']] }));
    expect(await only({ 'a b-c[0]$#%24.é;': 5 })).toEqual(['a']);
    expect(await only({ '$where.$gt': 'x' })).toEqual(['a']);
    expect(await only({ '$where.$gt': { gte: 'a' } })).toEqual(['a']);
    expect(await only({ '%24where.%24gt': 'x' })).toEqual([]);
    await store.prepare(v1, { ...collections, things: { indexes: [{ fields: ['$where.$gt'] }] } });
    expect(await only({ '$where.$gt': 'x' })).toEqual(['a']);
  });

  it('searches fields whose names have a meaning for the driver', async () => {
    const named = { ...thing('a'), _bsontype: 'Long', event: { _bsontype: 5 } };
    await filled(store, [named, thing('b')]);
    const only = async (where: Query['where']) => idsOf(await store.find('things', { where }));
    expect(await only({ _bsontype: 'Long' })).toEqual(['a']);
    expect(await only({ 'event._bsontype': 5 })).toEqual(['a']);
    expect(await only({ '%5Fbsontype': 'Long' })).toEqual([]);
  });

  it.each(["a'b", 'a"b', 'a..b', '', 'a\\b', 'a\nb', 'a\0'])('refuses the field path %p', async (field) => {
    await filled(store, [thing('a')]);
    await expect(store.find('things', { where: { [field]: 1 } })).rejects.toThrow('Invalid field path');
    await expect(store.find('things', { where: {}, sort: [[field, 'asc']] })).rejects.toThrow('Invalid field path');
  });

  it('refuses an empty condition and an operator as condition, because these would match everything', async () => {
    await filled(store, [thing('a')]);
    const wrong: readonly unknown[] = [
      undefined,
      {},
      { gt: undefined },
      { gte: null },
      { $gt: '' },
      Number.NaN,
      [1],
      { in: 1 },
    ];
    for (const size of wrong) {
      await expect(store.find('things', { where: { size } } as Query)).rejects.toThrow('Invalid condition on size');
    }
    await expect(store.count('things', { size: { $ne: 1 } } as Query['where'])).rejects.toThrow('Invalid condition');
    for (const limit of [-1, 1.5, Number.NaN]) {
      await expect(store.find('things', { where: {}, limit })).rejects.toThrow('Invalid limit');
    }
    await expect(store.find('things', { where: {}, after: [1, 'a'] })).rejects.toThrow(
      'must have 1 values here, not 2',
    );
  });

  it('distinguishes true from 1 and texts from numbers, and does not look into lists', async () => {
    const mixed = [true, 1, '1', false, 0, null, [1], {}].map((value, index) => ({ ...thing(`${index}`), value }));
    await filled(store, mixed);
    const ids = async (value: Query['where'][string]) => idsOf(await store.find('things', { where: { value } }));
    expect(await ids(true)).toEqual(['0']);
    expect(await ids(1)).toEqual(['1']);
    expect(await ids('1')).toEqual(['2']);
    expect(await ids({ gte: 0 })).toEqual(['1', '4']);
    expect(await ids({ lt: 'a' })).toEqual(['2']);
    expect(await ids({ in: [1, false] })).toEqual(['1', '3']);
    expect(await ids(null)).toEqual(['5']);
  });

  it('names an unknown collection in the error, and leaves one to one projection until its last build is gone', async () => {
    const other = { projection: 'other', generation: 'v9' };
    await expect(store.get('thing', 'a')).rejects.toThrow('No projection owns a collection named thing.');
    await store.prepare(v1, collections);
    await expect(store.commit(v1, -1, 0, [put(thing('a'), 0, 'other')])).rejects.toThrow(
      'The collection other was not prepared',
    );
    expect(await store.checkpoint(v1)).toBe(-1);
    await expect(store.prepare(other, collections)).rejects.toThrow('belongs to catalogue');
    expect(await store.builds('other')).toEqual([]);
    await store.discard(v1, collections);
    await store.prepare(other, collections);
    await store.activate(other, collections);
    expect(await store.get('things', 'a')).toBeUndefined();
  });

  it('activates only prepared builds, and accepts no invalid generation', async () => {
    await expect(store.activate(v1, collections)).rejects.toThrow('The collection things was not prepared');
    await expect(store.activate(v1, {})).rejects.toThrow('There is no build');
    for (const generation of ['v1.x', '$v', 'v 1', '']) {
      await expect(store.prepare({ projection: 'p', generation }, collections)).rejects.toThrow('Invalid name');
    }
  });

  it('enforces a unique index only for values that exist, and lets two documents exchange theirs', async () => {
    const unique = { things: { indexes: [{ fields: ['workspaceId', 'name'], unique: true }] } };
    await store.prepare(v1, unique);
    const first = [put(thing('a')), put(thing('b', { name: null })), put(thing('c', { name: 'x' }))];
    await store.commit(v1, -1, 0, first);
    const twice = store.commit(v1, 0, 1, [put(thing('d', { name: 'x' }), 1)]);
    await expect(twice).rejects.not.toBeInstanceOf(ReadStoreUnavailable);
    await store.commit(v1, 0, 2, [put(thing('d', { name: 'x' }), 2), put(thing('c', { name: 'y' }), 2)]);
    await store.commit(v1, 2, 3, [put(thing('e', { name: 'y' }), 3), remove('c')]);
    const held = await store.load(v1, 'things', ['a', 'b', 'c', 'd', 'e']);
    expect([...held].map(([id, { document }]) => [id, (document as Thing).name ?? null]).sort()).toEqual([
      ['a', null],
      ['b', null],
      ['d', 'x'],
      ['e', 'y'],
    ]);
  });

  it('does not change what a later batch has written', async () => {
    await store.prepare(v1, collections);
    await store.commit(v1, -1, 9, [put(thing('a', { size: 9 }), 9), put(thing('b', { size: 9 }), 9)]);
    await store.commit(v1, 9, 5, [put(thing('a', { size: 5 }), 5), remove('b'), put(thing('c', { size: 5 }), 5)]);
    await store.commit(v1, 5, 6, [{ kind: 'removeWhere', collection: 'things', where: {} }]);
    expect(await store.load(v1, 'things', ['a', 'b', 'c'])).toEqual(
      new Map([
        ['a', { document: thing('a', { size: 9 }), position: 9 }],
        ['b', { document: thing('b', { size: 9 }), position: 9 }],
      ]),
    );
  });

  it('writes and reads more documents than one batch or one answer holds', async () => {
    const many = Array.from({ length: 2_500 }, (_, n) => thing(String(n).padStart(5, '0'), { size: n }));
    await filled(store, many);
    expect(idsOf(await store.find('things', { where: {} }))).toEqual(idsOf(many));
    expect((await store.load(v1, 'things', idsOf(many))).size).toBe(2_500);
  });

  it('sees within a second what another process has activated and discarded, and never an empty store', async () => {
    await filled(store, [thing('a')]);
    expect(idsOf(await second.find('things', { where: {} }))).toEqual(['a']);
    await filled(store, [thing('a', { size: 2 })], v2);
    await store.discard(v1, collections);
    expect(await second.get('things', 'a')).toEqual(thing('a', { size: 2 }));
    await filled(store, [thing('a', { size: 3 })], { projection: 'catalogue', generation: 'v3_0' });
    await eventually(
      () => second.get<Thing>('things', 'a'),
      (found) => found?.size === 3,
    );
    const ways = [
      async () => (await second.get('things', 'a')) === undefined,
      async () => (await second.find('things', { where: {} })).length === 0,
      async () => (await second.count('things', {})) === 0,
    ];
    for (const [index, isEmpty] of ways.entries()) {
      await second.find('things', { where: {} });
      await filled(store, [thing('a')], { projection: 'catalogue', generation: `v${index + 4}_0` });
      await store.discard({ projection: 'catalogue', generation: `v${index + 3}_0` }, collections);
      expect(await isEmpty()).toBe(false);
    }
  });

  it('is unavailable once it is closed, and may be closed twice', async () => {
    await store.close();
    await store.close();
    await expect(store.get('things', 'a')).rejects.toThrow(ReadStoreUnavailable);
    await expect(store.check()).rejects.toThrow('The read store is closed');
  });

  it('does not show the password of a URL it cannot use', () => {
    const make = () => new MongoReadStore({ url: 'mongodb://me:hunter2@host:port/x?strange=1' });
    expect(make).toThrow('MONGODB_URL cannot be read');
    expect(make).not.toThrow('hunter2');
  });
});

const reread = (text: string) => JSON.stringify(JSON.parse(text));

/** Includes keys with a special meaning to the driver, to JavaScript or to MongoDB. */
const anyKey = fc.oneof(fc.string(), fc.constantFrom('_bsontype', '__proto__', '$where', 'a.b', 'a\0b', '\ud800'));
const anyDocument = fc
  .record({ id: fc.string({ unit: 'grapheme', minLength: 1 }), rest: fc.dictionary(anyKey, fc.jsonValue()) })
  .map(({ id, rest }): Document => ({ ...rest, id, workspaceId: 'w1' }));
