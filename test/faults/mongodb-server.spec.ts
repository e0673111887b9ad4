import { MongoClient } from 'mongodb';
import { MongoReadStore } from '../../src/adapters/read-store/mongodb/mongo-read-store.adapter.js';
import { ReadStoreUnavailable } from '../../src/ports/read-store.port.js';
import { filled, thing } from '../contracts/read-store-fixture.js';
import { eventually } from '../support/eventually.js';
import { startMongoServer } from '../support/mongodb/start-mongo-server.js';

describe('the read store', () => {
  it('waits for no answer for ever on a connection that closes in the moment in which it is used', async () => {
    const server = await startMongoServer();
    const store = new MongoReadStore({ url: server.url, patienceMs: 500 });
    const beside = new MongoClient(server.url, { readConcern: { level: 'majority' }, retryReads: false });
    await filled(store, [thing('a')]);
    await beside.db('x').collection('things').findOne({});
    server.fault({ on: 'find', collection: 'things', mishap: 'silence before' });
    // Both connections break together, and the end of this one comes first.
    const used = beside
      .db('x')
      .collection('things')
      .findOne({})
      .catch(() => store.get('things', 'a'))
      .catch((error: unknown) => error);
    await eventually(
      async () => server.isSilent(),
      (isSilent) => isSilent,
    );
    server.heal();
    const result = await used;
    if (result instanceof Error) expect(result).toBeInstanceOf(ReadStoreUnavailable);
    else expect(result).toEqual(thing('a'));
    const again = () => store.get('things', 'a').catch(() => undefined);
    expect(await eventually(again, (found) => found !== undefined)).toEqual(thing('a'));
    await Promise.all([store.close(), beside.close()]);
    await server.close();
  });

  it.each([
    [{ maxWireVersion: 17 }, 'MongoDB is older than 7.0'],
    [{ setName: undefined, hosts: undefined, msg: 'isdbgrid' }, 'sharded clusters are not supported'],
    [{ setName: undefined, hosts: undefined }, 'MongoDB runs without a replica set'],
  ])('refuses a server that greets with %p', async (greets, sentence) => {
    const server = await startMongoServer({ greets });
    const store = new MongoReadStore({ url: server.url.replace(/\?.*/, '') });
    await expect(store.check()).rejects.toThrow(sentence);
    await store.close();
    await server.close();
  });
});
