import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { MongoBlobs } from '../../../src/adapters/blobs/mongodb/mongo-blobs.adapter.js';
import { BlobSealBroken } from '../../../src/ports/blobs.port.js';
import { type MongoForTests, mongoForTests } from '../../support/mongodb/mongo-for-tests.js';
import { blobsContract } from './blobs.contract.js';
import { HandMovedTime } from './hand-moved-time.js';

let mongo: MongoForTests;
beforeAll(async () => {
  mongo = await mongoForTests();
});
afterAll(() => mongo.close());

const optionsOfNew = () => ({
  url: mongo.url,
  database: mongo.newDatabase(),
  masterKey: randomBytes(32),
  clock: new HandMovedTime(),
});

blobsContract('mongodb', async () => {
  const options = optionsOfNew();
  let blobs = new MongoBlobs(options);
  return {
    blobs,
    clock: options.clock,
    reopen: async () => {
      await blobs.close();
      blobs = new MongoBlobs(options);
      return blobs;
    },
    close: () => blobs.close(),
  };
});

describe('blobs: mongodb, beyond the contract', () => {
  it('never has the plain value in the database, and leaves no chunk behind', async () => {
    const options = optionsOfNew();
    const blobs = new MongoBlobs(options);
    const client = new MongoClient(mongo.url, { readConcern: { level: 'majority' } });
    const chunks = client.db(options.database).collection('blobs.chunks');
    const value = randomBytes(600_000);
    await blobs.put('mail/a', value);
    const found = await chunks.find({}, { sort: { n: 1 } }).toArray();
    const stored = Buffer.concat(found.map(({ data }) => data.buffer ?? data));
    expect(stored.length).toBeGreaterThan(600_000);
    expect(stored.includes(value.subarray(0, 64))).toBe(false);
    await blobs.put('mail/a', randomBytes(10));
    await blobs.destroy('mail/a');
    expect(await chunks.find({}).toArray()).toEqual([]);
    await client.close();
    await blobs.close();
  });

  it('cannot be opened with another master key', async () => {
    const options = optionsOfNew();
    const blobs = new MongoBlobs(options);
    const other = new MongoBlobs({ ...options, masterKey: randomBytes(32) });
    await blobs.put('mail/a', randomBytes(10));
    await expect(other.open('mail/a')).rejects.toThrow(BlobSealBroken);
    await Promise.all([blobs.close(), other.close()]);
  });
});
