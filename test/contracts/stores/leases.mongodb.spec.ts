import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MongoLeases } from '../../../src/adapters/leases/mongodb/mongo-leases.adapter.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { type MongoForTests, mongoForTests } from '../../support/mongodb/mongo-for-tests.js';
import { itTakesAway, standIn } from '../../support/on-stand-ins.js';
import { leasesContract } from './leases.contract.js';

let mongo: MongoForTests;
beforeAll(async () => {
  mongo = await mongoForTests();
});
afterAll(() => mongo.close());

leasesContract('mongodb', async () => {
  const options = { url: mongo.url, database: mongo.newDatabase(), silenceMs: 8_000, clock: new SystemClock() };
  const [leases, elsewhere] = [new MongoLeases(options), new MongoLeases(options)];
  return { leases, elsewhere, close: async () => void (await Promise.all([leases.close(), elsewhere.close()])) };
});

describe('leases in MongoDB: silence', () => {
  let clock: MadeUpClock;
  let leases: MongoLeases;
  let elsewhere: MongoLeases;
  beforeEach(() => {
    clock = new MadeUpClock();
    const options = { url: mongo.url, database: mongo.newDatabase(), silenceMs: 8_000 };
    leases = new MongoLeases({ ...options, clock: new MadeUpClock() });
    elsewhere = new MongoLeases({ ...options, clock });
  });
  afterEach(async () => void (await Promise.all([leases.close(), elsewhere.close()])));

  /** Lets the other process look at the members once a second, for this many seconds of its own clock. */
  const listen = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed++) {
      await elsewhere.processes();
      clock.advance(1_000);
    }
    return elsewhere.processes();
  };

  it('a process without heartbeat for eight seconds loses its leases to another that asks', async () => {
    await leases.beat('a', {});
    await leases.acquire('work', 'a');
    await elsewhere.beat('b', {});
    await listen(7);
    expect(await elsewhere.acquire('work', 'b')).toBe(false);
    await listen(1);
    expect(await elsewhere.acquire('work', 'b')).toBe(true);
    expect(await leases.holders()).toEqual(new Map([['work', 'b']]));
  });

  it('one heartbeat restarts the timeout', async () => {
    await leases.beat('a', {});
    await leases.acquire('work', 'a');
    await listen(6);
    await leases.beat('a', {});
    await listen(6);
    expect(await elsewhere.acquire('work', 'b')).toBe(false);
  });

  it('a process that was given up learns it at its next heartbeat, and joins again', async () => {
    await leases.beat('a', {});
    await leases.acquire('work', 'a');
    await listen(9);
    expect(await elsewhere.giveUp('a')).toBe(true);
    expect(await elsewhere.processes()).toEqual([]);
    expect(await elsewhere.holders()).toEqual(new Map());
    expect(await leases.beat('a', {})).toBe(false);
    expect(await leases.beat('a', {})).toBe(true);
    expect((await elsewhere.processes()).map(({ name }) => name)).toEqual(['a']);
  });

  it('a process that did not listen for a while does not count that time as silence', async () => {
    await leases.beat('a', {});
    await elsewhere.processes();
    clock.advance(60_000);
    expect((await elsewhere.processes())[0]?.silent).toBe(false);
  });

  itTakesAway.mongo(
    'while MongoDB is away no process counts as silent, and afterwards the timeout restarts for all',
    async () => {
      const server = standIn(mongo.server);
      await leases.beat('a', {});
      await leases.acquire('work', 'a');
      await listen(7);
      const impatient = new MongoLeases({
        url: mongo.url,
        database: 'other',
        silenceMs: 8_000,
        clock,
        patienceMs: 200,
      });
      server.silence(true);
      await expect(impatient.processes()).rejects.toThrow(/not available/);
      await expect(elsewhere.processes()).rejects.toThrow(/not available/);
      server.heal();
      await impatient.close();
      clock.advance(1_000);
      expect((await elsewhere.processes())[0]?.silent).toBe(false);
    },
    60_000,
  );
});
