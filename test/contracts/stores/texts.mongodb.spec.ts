import { MongoTexts } from '../../../src/adapters/texts/mongodb/mongo-texts.adapter.js';
import { TextsUnavailable } from '../../../src/ports/texts.port.js';
import { type MongoForTests, mongoForTests } from '../../support/mongodb/mongo-for-tests.js';
import { textsContract } from './texts.contract.js';

let mongo: MongoForTests;
beforeAll(async () => {
  mongo = await mongoForTests();
});
afterAll(() => mongo.close());

textsContract('mongodb', async () => {
  const options = { url: mongo.url, database: mongo.newDatabase() };
  let texts = new MongoTexts(options);
  return {
    texts,
    reopen: async () => {
      await texts.close();
      texts = new MongoTexts(options);
      return texts;
    },
    another: async () => new MongoTexts({ url: mongo.url, database: mongo.newDatabase() }),
    close: () => texts.close(),
  };
});

it('texts: mongodb: explains what to do when nothing answers', async () => {
  const texts = new MongoTexts({ url: 'mongodb://127.0.0.1:9/x?replicaSet=rs0', patienceMs: 200 });
  await expect(texts.get('ws_a', ['a'])).rejects.toThrow(TextsUnavailable);
  await texts.close();
});
