import { jest } from '@jest/globals';
import { MongoReadStore } from '../../../src/adapters/read-store/mongodb/mongo-read-store.adapter.js';
import { type MongoForTests, mongoForTests } from '../../support/mongodb/mongo-for-tests.js';
import { sharedProjectionContract } from './shared-projection.contract.js';

jest.setTimeout(120_000);

let mongo: MongoForTests;
beforeAll(async () => {
  mongo = await mongoForTests();
});
afterAll(() => mongo.close());

sharedProjectionContract(
  'mongodb',
  async () => {
    const database = mongo.newDatabase();
    const open: MongoReadStore[] = [];
    return {
      async open() {
        const store = new MongoReadStore({ url: mongo.url, database });
        open.push(store);
        return store;
      },
      async close() {
        await Promise.all(open.map((store) => store.close()));
      },
    };
  },
  10,
);
