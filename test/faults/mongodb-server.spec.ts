import { MongoReadStore } from '../../src/adapters/read-store/mongodb/mongo-read-store.adapter.js';
import { startMongoServer } from '../support/mongodb/start-mongo-server.js';

describe('the read store', () => {
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
