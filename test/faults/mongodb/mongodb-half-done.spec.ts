import { MongoClient, type MongoServerError } from 'mongodb';
import { MongoReadStore } from '../../../src/adapters/read-store/mongodb/mongo-read-store.adapter.js';
import { ReadStoreUnavailable } from '../../../src/ports/read-store.port.js';
import { filled, idsOf, put, thing, v1 } from '../../contracts/read-store/read-store-fixture.js';
import { eventually } from '../../support/eventually.js';
import { type MongoServer, startMongoServer } from '../../support/mongodb/start-mongo-server.js';

const things = 'read.things@v1_0';
const batch = ['c', 'd', 'e', 'f', 'g'].map((id, at) => put(thing(id, { size: at }), at + 1));

describe('commands that MongoDB completes in part', () => {
  let server: MongoServer;
  let store: MongoReadStore;
  let beside: MongoClient;
  beforeEach(async () => {
    server = await startMongoServer({ members: 2 });
    store = new MongoReadStore({ url: server.url, patienceMs: 1_500 });
    beside = new MongoClient(server.url, { writeConcern: { w: 'majority' }, readConcern: { level: 'majority' } });
    await filled(store, [thing('a'), thing('b')]);
  });
  afterEach(async () => {
    server.heal();
    await Promise.all([store.close(), beside.close()]);
    await server.close();
  });
  const ids = async () => idsOf(await store.find('things', { where: {} }));
  const whole = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const committed = () =>
    eventually(
      () =>
        store.commit(v1, 0, 5, batch).then(
          () => true,
          (error: unknown) => {
            if (error instanceof ReadStoreUnavailable) return false;
            throw error;
          },
        ),
      (done) => done,
    );

  it.each([0, 1, 3, 5])(
    'are completed by a commit that continues after a step-down (%d of 5 done)',
    async (doneFirst) => {
      server.fault({ on: 'update', collection: things, mishap: { doneFirst, thenCode: 11_602 } });
      await committed();
      expect([await ids(), await store.checkpoint(v1)]).toEqual([whole, 5]);
    },
  );

  it('are reported as a full disk if that is among the errors of single writes, and repeated later', async () => {
    server.fault({ on: 'update', collection: things, mishap: { writeErrorCode: 14_031 } });
    await expect(store.commit(v1, 0, 5, batch)).rejects.toThrow('the disk of MongoDB is full');
    await committed();
    expect([await ids(), await store.checkpoint(v1)]).toEqual([whole, 5]);
  });

  it('are reported as slow if they exceed their time limit, and repeated later', async () => {
    const hasty = new MongoReadStore({ url: server.url, patienceMs: 200 });
    await hasty.checkpoint(v1);
    server.fault({ on: 'find', collection: things, mishap: { slowMs: 500 } });
    await expect(hasty.get('things', 'a')).rejects.toThrow('MongoDB did not finish in time');
    expect(await hasty.get('things', 'a')).toEqual(thing('a'));
    await hasty.close();
  });

  describe('by the stand-in, as by MongoDB:', () => {
    const room = () => beside.db('x').collection<{ readonly _id: number; readonly n: number }>('room');

    it('completed writes are not repeated, and failed ones are', async () => {
      await room().insertOne({ _id: 1, n: 0 });
      server.fault({ on: 'update', collection: 'room', mishap: { doneFirst: 1, thenCode: 10_107 } });
      const set = (_id: number, n: number) => ({ updateOne: { filter: { _id, n: n - 1 }, update: { $set: { n } } } });
      const { matchedCount } = await room().bulkWrite([set(1, 1), set(1, 2), set(1, 3)]);
      expect([matchedCount, await room().findOne({ _id: 1 })]).toEqual([3, { _id: 1, n: 3 }]);
    });

    it('a write that matches nothing creates no collection, and one that changes nothing modifies nothing', async () => {
      await room().deleteMany({ n: 1 });
      await room().updateOne({ _id: 1 }, { $set: { n: 1 } });
      await expect(room().indexes()).rejects.toMatchObject({ code: 26 } satisfies Partial<MongoServerError>);
      await room().insertOne({ _id: 1, n: 1 });
      const { matchedCount, modifiedCount } = await room().updateOne({ _id: 1 }, { $set: { n: 1 } });
      expect([matchedCount, modifiedCount]).toEqual([1, 0]);
    });

    it('a retryable multi-document write is refused, and so is one with an older number', async () => {
      const session = beside.startSession();
      const lsid = session.id as object;
      const command = (txnNumber: number, limit: number) =>
        beside
          .db('x')
          .command({ delete: 'room', deletes: [{ q: {}, limit }], lsid, txnNumber, writeConcern: { w: 'majority' } });
      await expect(command(2, 0)).rejects.toMatchObject({ code: 72 });
      await command(2, 1);
      await expect(command(1, 1)).rejects.toMatchObject({ code: 225 });
      await session.endSession();
    });

    it('a cursor on a dropped collection fails because its plan was killed', async () => {
      await room().insertMany([1, 2, 3].map((_id) => ({ _id, n: 0 })));
      const cursor = room().find({}, { batchSize: 1 });
      await cursor.next();
      await room().drop();
      await expect(cursor.toArray()).rejects.toMatchObject({ code: 175 });
      expect(await room().drop()).toBe(true);
    });
  });
});
