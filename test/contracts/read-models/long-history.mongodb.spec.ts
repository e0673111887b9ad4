import { jest } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { MongoReadStore } from '../../../src/adapters/read-store/mongodb/mongo-read-store.adapter.js';
import { type MongoForTests, mongoForTests } from '../../support/mongodb/mongo-for-tests.js';
import { longHistoryContract } from './long-history.contract.js';

jest.setTimeout(120_000);

let mongo: MongoForTests;
beforeAll(async () => {
  mongo = await mongoForTests();
});
afterAll(() => mongo.close());

longHistoryContract(
  'mongodb',
  async () => {
    const database = mongo.newDatabase();
    const client = new MongoClient(mongo.url);
    const open: MongoReadStore[] = [];
    return {
      async open() {
        const store = new MongoReadStore({ url: mongo.url, database });
        open.push(store);
        return store;
      },
      async indexesOf(collection, generation) {
        const made = await client.db(database).collection(`read.${collection}@${generation}`).indexes();
        return made.map(({ name = '' }) => name).filter((name) => name !== '_id_');
      },
      async close() {
        await client.close();
        await Promise.all(open.map((store) => store.close()));
      },
    };
  },
  5,
);
