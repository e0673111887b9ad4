import { randomBytes } from 'node:crypto';
import { jest } from '@jest/globals';
import { Binary, type Db, MongoClient } from 'mongodb';
import { EmbeddedVault } from '../../../src/adapters/vault/embedded/embedded-vault.adapter.js';
import { MongoVault } from '../../../src/adapters/vault/mongodb/mongo-vault.adapter.js';
import type { Clock } from '../../../src/ports/clock.port.js';
import { VaultSealBroken, VaultUnavailable } from '../../../src/ports/vault.port.js';
import { allOf } from '../../support/all-of.js';
import { type MongoForTests, mongoForTests } from '../../support/mongodb/mongo-for-tests.js';
import { EmbeddedDirectory } from '../embedded-directory.js';
import { vaultContract } from './vault.contract.js';

/**
 * A clock that the test moves. It begins at the present time, because a real server deletes expired entries by its own
 * clock.
 */
class TestTime implements Clock {
  time = Date.now();
  now(): number {
    return this.time;
  }
  after(): () => void {
    throw new Error('The vault waits for nothing.');
  }
}

// A real server needs longer for the hundreds of collections of the property tests.
jest.setTimeout(120_000);

let mongo: MongoForTests;
beforeAll(async () => {
  mongo = await mongoForTests();
});
afterAll(() => mongo.close());

vaultContract('mongodb', async () => {
  const clock = new TestTime();
  const options = { url: mongo.url, database: mongo.newDatabase(), masterKey: randomBytes(32), clock };
  let vault = await MongoVault.open(options);
  return {
    vault,
    clock,
    async reopen() {
      await vault.close();
      vault = await MongoVault.open(options);
      return vault;
    },
    close: () => vault.close(),
  };
});

describe('vault: mongodb, beyond the contract', () => {
  const masterKey = randomBytes(32);
  const clock = new TestTime();
  let database = '';
  let vault: MongoVault;
  let client: MongoClient;
  let beside: Db;

  beforeEach(async () => {
    database = mongo.newDatabase();
    vault = await MongoVault.open({ url: mongo.url, database, masterKey, clock });
    client = new MongoClient(mongo.url, { writeConcern: { w: 'majority' }, readConcern: { level: 'majority' } });
    beside = client.db(database);
  });
  afterEach(async () => {
    await vault.close();
    await client.close();
  });

  interface Row {
    readonly _id: string;
    readonly sealedKey: Binary;
    readonly sealedValue: Binary;
  }
  const rowOf = async (name: string) => {
    const row = await beside.collection<Row>('vault').findOne({ _id: name });
    if (row === null) throw new Error(`There is no entry ${name}.`);
    return row;
  };

  it('never has the plain value in the database', async () => {
    const value = randomBytes(64);
    await vault.seal('a', value);
    const { sealedKey, sealedValue } = await rowOf('a');
    for (const sealed of [sealedKey, sealedValue]) expect(Buffer.from(sealed.buffer).includes(value)).toBe(false);
  });

  it.each(['sealedKey', 'sealedValue'] as const)('detects a change of %s', async (field) => {
    await vault.seal('a', randomBytes(20));
    const changed = Buffer.concat([(await rowOf('a'))[field].buffer, Buffer.of(0)]);
    await beside.collection<Row>('vault').updateOne({ _id: 'a' }, { $set: { [field]: new Binary(changed) } });
    await expect(vault.open('a')).rejects.toThrow(VaultSealBroken);
  });

  it('detects an entry that was moved to another name', async () => {
    await vault.seal('a', randomBytes(20));
    await vault.seal('b', randomBytes(20));
    const { _id, ...others } = await rowOf('a');
    await beside.collection<Row>('vault').replaceOne({ _id: 'b' }, others);
    await expect(vault.open('b')).rejects.toThrow(VaultSealBroken);
  });

  it('cannot be opened with another master key', async () => {
    await vault.seal('a', randomBytes(20));
    const open = (key: Uint8Array) => MongoVault.open({ url: mongo.url, database, masterKey: key, clock });
    const refused = open(randomBytes(32));
    await expect(refused).rejects.toThrow(VaultSealBroken);
    await expect(refused).rejects.toThrow('The vault was sealed with another master key: start with that key.');
    await expect(open(randomBytes(16))).rejects.toThrow('The master key must have 32 bytes.');
    const again = await open(masterKey);
    expect(await again.open('a')).toHaveLength(20);
    await again.close();
  });

  it('is the same vault for all processes that open it, even at the first start', async () => {
    const options = { url: mongo.url, database: mongo.newDatabase(), masterKey, clock };
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => MongoVault.open(options)));
    await one?.seal('a', randomBytes(20));
    expect(await two?.open('a')).toHaveLength(20);
    expect(await three?.seal('a', randomBytes(20), { ifAbsent: true })).toBe(false);
    await Promise.all([one, two, three].map((each) => each?.close()));
  });

  it('derives the same tokens as the embedded vault', async () => {
    const directory = new EmbeddedDirectory();
    const embedded = new EmbeddedVault({ directory: directory.path, masterKey, clock });
    expect(vault.derive('webhook/1')).toBe(embedded.derive('webhook/1'));
    await embedded.close();
    directory.remove();
  });

  it('lets one of many win if an entry has expired', async () => {
    await vault.seal('a', randomBytes(1), { expiresAt: clock.time + 10 });
    clock.time += 20;
    const won = await Promise.all([2, 3, 4, 5].map((n) => vault.seal('a', randomBytes(n), { ifAbsent: true })));
    expect(won.filter((one) => one)).toHaveLength(1);
    expect(await vault.open('a')).toHaveLength(won.indexOf(true) + 2);
  });

  it('retains an entry whose expiry is beyond the end of time', async () => {
    await vault.seal('a', randomBytes(20), { expiresAt: Number.MAX_SAFE_INTEGER });
    expect(await vault.open('a')).toHaveLength(20);
    expect(await vault.sweep()).toBe(0);
  });

  it('leaves long-expired entries to the server, which deletes them an hour later', async () => {
    const indexes = await beside.collection('vault').indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 3_600 }));
  });

  it('is unavailable once it is closed, and may be closed twice', async () => {
    await vault.close();
    await vault.close();
    for (const late of [
      () => vault.seal('b', randomBytes(1)),
      () => vault.open('a'),
      () => vault.destroy('a'),
      () => vault.sweep(),
      () => allOf(vault.sealedEntries()),
      () => vault.check(),
    ]) {
      await expect(late()).rejects.toThrow(VaultUnavailable);
    }
  });
});
