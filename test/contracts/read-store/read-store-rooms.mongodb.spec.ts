import { jest } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { BuildCollections } from '../../../src/adapters/read-store/mongodb/build-collections.js';
import { MongoReadStore } from '../../../src/adapters/read-store/mongodb/mongo-read-store.adapter.js';
import { type MongoForTests, mongoForTests } from '../../support/mongodb/mongo-for-tests.js';
import { collections, filled, idsOf, put, remove, thing, v1, v2 } from './read-store-fixture.js';

let mongo: MongoForTests;
beforeAll(async () => {
  mongo = await mongoForTests();
});
afterAll(() => mongo.close());

describe('the collections of the read store on MongoDB', () => {
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

  const room = () => beside.db(database).collection('read.things@v1_0');
  const indexNames = async () => (await room().indexes()).map(({ name }) => name).sort();

  it('get indexes that were declared later, and lose those no longer declared when the build is activated', async () => {
    const before = { things: { indexes: [{ fields: ['a'] }, { fields: ['b', 'c'] }], searchable: ['values'] } };
    await store.prepare(v1, before);
    expect(await indexNames()).toEqual(['_id_', 'a', 'b,c', 'every values']);
    const after = {
      things: { indexes: [{ fields: ['b', 'c'] }, { fields: ['a'], unique: true }, { fields: ['id'] }] },
    };
    await store.prepare(v1, after);
    // A process of the previous version may still run, and needs its own indexes.
    await second.prepare(v1, before);
    expect(await indexNames()).toEqual(['_id_', 'a', 'a!', 'b,c', 'every values']);
    await store.activate(v1, after);
    expect(await indexNames()).toEqual(['_id_', 'a!', 'b,c']);
  });

  it('are cleaned of what a late writer left of a discarded build, when the next is prepared', async () => {
    const left = { _id: 'late', position: 3, document: {}, text: '{"id":"late","workspaceId":"w1"}' } as never;
    const options = { writeConcern: { w: 'majority' } } as const;
    const rooms = beside.db(database, options);
    await filled(store, [thing('a')]);
    for (const name of ['read.things@v0_7', 'read.thing@v0_7', 'read.things.more@v0_7', 'things@v0_7']) {
      await rooms.collection(name).insertOne(left);
    }
    await store.prepare(v2, collections);
    const names = (await rooms.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
    expect(names.filter((name) => name.includes('thing'))).toEqual([
      'read.thing@v0_7',
      'read.things.more@v0_7',
      'read.things@v1_0',
      'read.things@v2_0',
      'things@v0_7',
    ]);
    expect(await store.get('things', 'a')).toEqual(thing('a'));
  });

  it('store documents of the maximum size with any keys, and find them by their small fields', async () => {
    const keys = Array.from({ length: 1_000 }, (_, at) => [`${'$'.repeat(5_900)}${at}`, at] as const);
    const large = [
      { ...thing('keys', { size: 1 }), event: Object.fromEntries(keys), owner: { name: 'x' } },
      { ...thing('text', { size: 2 }), code: 'x'.repeat(6_000_000), owner: { name: 'x' } },
    ];
    await filled(store, large);
    expect(await store.find('things', { where: { size: { gte: 1 }, 'owner.name': 'x' } })).toEqual(large);
  });

  it('distinguish unpaired surrogates from other characters, in ids and in values', async () => {
    await filled(store, [
      thing('\ufffd', { name: '\ud800' }),
      thing('b', { name: '\ud801' }),
      thing('c', { name: '\ufffd' }),
    ]);
    const named = async (name: string) => idsOf(await store.find('things', { where: { name } }));
    expect([await named('\ud800'), await named('\ud801'), await named('\ufffd')]).toEqual([['\ufffd'], ['b'], ['c']]);
    expect(idsOf(await store.find('things', { where: { name: { in: ['\ud801', 'x'] } } }))).toEqual(['b']);
    expect([await store.get('things', '\ud800'), (await store.load(v1, 'things', ['\ud800', 'b'])).size]).toEqual([
      undefined,
      1,
    ]);
    const at = await store.checkpoint(v1);
    await expect(store.commit(v1, at, at + 1, [put(thing('\ud800'), at + 1)])).rejects.toThrow(
      'not well-formed Unicode',
    );
    await store.commit(v1, at, at + 1, [remove('\ud800')]);
    expect(await store.get('things', '\ufffd')).toBeDefined();
  });

  it('are prepared only after a build that is being discarded is gone', async () => {
    await filled(store, [thing('a')]);
    await filled(store, [thing('b')], v2);
    const keepers = beside
      .db(database, { writeConcern: { w: 'majority' } })
      .collection<{ readonly _id: string }>('read.projections');
    // Marks the build as leaving after `prepare` has looked at it and before it writes.
    const leaving = { $set: { 'builds.v1_0.leaving': true } };
    const prepare = BuildCollections.prototype.prepare;
    const beaten = jest.spyOn(BuildCollections.prototype, 'prepare').mockImplementationOnce(async function (
      this: BuildCollections,
      ...asked
    ) {
      await keepers.updateOne({ _id: 'catalogue' }, leaving);
      return prepare.apply(this, asked);
    });
    await store.prepare(v1, collections);
    beaten.mockRestore();
    expect(await store.checkpoint(v1)).toBe(-1);
    expect(await store.load(v1, 'things', ['a'])).toEqual(new Map());
    await store.commit(v1, -1, 0, [put(thing('c'))]);
    await store.activate(v1, collections);
    expect(idsOf(await store.find('things', { where: {} }))).toEqual(['c']);
  });

  it('keep indexes that an operator has made, and use one of declared fields under its own name', async () => {
    await store.prepare(v1, { things: { indexes: [] } });
    const options = { writeConcern: { w: 'majority' } } as const;
    const made = { 'document.size': 1, _id: 1 } as const;
    await beside.db(database, options).collection('read.things@v1_0').createIndex(made, { name: 'by hand' });
    await beside.db(database, options).collection('read.things@v1_0').createIndex({ 'document.name': -1 });
    await store.prepare(v1, { things: { indexes: [{ fields: ['size'] }, { fields: ['open'] }] } });
    await store.activate(v1, { things: { indexes: [] } });
    expect(await indexNames()).toEqual(['_id_', 'by hand', 'document.name_-1']);
  });
});
