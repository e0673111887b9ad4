import { MongoClient } from 'mongodb';
import { MongoReadStore } from '../../../src/adapters/read-store/mongodb/mongo-read-store.adapter.js';
import { ReadStoreUnavailable } from '../../../src/ports/read-store.port.js';
import { filled, thing } from '../../contracts/read-store/read-store-fixture.js';
import { eventually } from '../../support/eventually.js';
import { startMongoServer } from '../../support/mongodb/start-mongo-server.js';

describe('the read store', () => {
  it('does not wait forever for an answer on a connection that closes at the moment of its use', async () => {
    const server = await startMongoServer();
    const store = new MongoReadStore({ url: server.url, patienceMs: 500 });
    const beside = new MongoClient(server.url, { readConcern: { level: 'majority' }, retryReads: false });
    await filled(store, [thing('a')]);
    await beside.db('x').collection('things').findOne({});
    server.fault({ on: 'find', collection: 'things', mishap: 'silence before' });
    // Both connections break at the same moment. The end of the first one starts a read on the second.
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

  it.each([
    ['a replica set of another name', {}],
    ['a standalone server', { setName: undefined, hosts: undefined, isWritablePrimary: true, secondary: undefined }],
    ['a router of shards', { setName: undefined, hosts: undefined, msg: 'isdbgrid' }],
  ])('reports that %s is not the replica set of the URL', async (_, greets) => {
    const server = await startMongoServer({ greets });
    const store = new MongoReadStore({ url: server.url.replace('rs0', 'rs1'), patienceMs: 500 });
    const error = await store.check().catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(ReadStoreUnavailable);
    expect(String(error)).toContain('none of them belongs to the replica set that its option replicaSet names');
    expect(String(error)).not.toMatch(/127\.0\.0\.1|does not answer/);
    await store.close();
    await server.close();
  });

  it('reports servers that are away as unreachable, whatever replica set the URL names', async () => {
    const server = await startMongoServer();
    await server.close();
    const store = new MongoReadStore({ url: server.url.replace('rs0', 'rs1'), patienceMs: 500 });
    await expect(store.check()).rejects.toThrow('MongoDB does not answer');
    await store.close();
  });
});
