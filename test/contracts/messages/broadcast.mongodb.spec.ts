import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MongoBroadcast } from '../../../src/adapters/broadcast/mongodb/mongo-broadcast.adapter.js';
import { largestBroadcast } from '../../../src/ports/broadcast.port.js';
import { eventually } from '../../support/eventually.js';
import { type MongoForTests, mongoForTests } from '../../support/mongodb/mongo-for-tests.js';
import { itTakesAway, standIn } from '../../support/on-stand-ins.js';
import { broadcastContract, Heard } from './broadcast.contract.js';

let mongo: MongoForTests;
beforeAll(async () => {
  mongo = await mongoForTests();
});
afterAll(() => mongo.close());

function two() {
  const options = { url: mongo.url, database: mongo.newDatabase(), patienceMs: 1_000 };
  const [here, elsewhere] = [new MongoBroadcast(options), new MongoBroadcast(options)];
  return { here, elsewhere, close: async () => void (await Promise.all([here.close(), elsewhere.close()])) };
}

broadcastContract('mongodb', async () => two());

it('messages of another log are not delivered', async () => {
  const { here, elsewhere, close } = two();
  here.belongTo('log_1');
  elsewhere.belongTo('log_2');
  const heard = await new Heard().on(here);
  await elsewhere.publish({ n: 1, of: randomUUID() });
  await here.publish({ n: 2 });
  expect(await heard.until(2)).toEqual([2]);
  await close();
});

itTakesAway.mongo(
  'while MongoDB is away, publishing and checks fail; afterwards no accepted message is lost',
  async () => {
    const server = standIn(mongo.server);
    const { here, elsewhere, close } = two();
    for (const one of [here, elsewhere]) one.belongTo('log_1');
    const heard = await new Heard().on(elsewhere);
    await here.publish({ n: 1 });
    await heard.until(1);
    server.silence(true);
    await expect(here.publish({ n: 2 })).rejects.toThrow(/The messages could not be broadcast/);
    await eventually(
      () => elsewhere.check().catch((error: Error) => error.message),
      (said) => String(said).includes('does not receive broadcasts from other processes'),
    );
    server.heal();
    await eventually(
      () =>
        here.publish({ n: 3 }).then(
          () => true,
          () => false,
        ),
      (isTaken) => isTaken,
    );
    expect((await heard.until(3)).at(-1)).toBe(3);
    expect(heard.numbers.filter((n) => n === 1)).toHaveLength(1);
    expect(heard.lapses).toBe(0);
    await close();
  },
  120_000,
);

itTakesAway.mongo(
  'a process is notified once if MongoDB dropped messages before it read them, and gets later ones',
  async () => {
    const server = standIn(mongo.server);
    const { here, elsewhere, close } = two();
    for (const one of [here, elsewhere]) one.belongTo('log_1');
    const heard = await new Heard().on(elsewhere);
    await here.publish({ n: 1 });
    await heard.until(1);
    const readAgain = server.fault({
      on: /^(find|getMore)$/,
      collection: 'broadcast',
      times: Number.POSITIVE_INFINITY,
      mishap: { code: 91 },
    });
    await eventually(
      () => elsewhere.check().catch((error: Error) => error.message),
      (trouble) => String(trouble).includes('does not receive broadcasts from other processes'),
    );
    // More than the 16 MB of messages that the collection retains.
    const text = 'x'.repeat(largestBroadcast - 100);
    const forgotten = Math.ceil((17 * 1024 * 1024) / text.length);
    for (let n = 0; n < forgotten; n += 1) await here.publish({ n: 2, text });
    expect(heard.lapses).toBe(0);
    readAgain();
    await eventually(
      async () => heard.lapses,
      (lapses) => lapses > 0,
    );
    await elsewhere.check();
    await here.publish({ n: 3 });
    expect(await heard.until(3)).toEqual([1, 3]);
    expect(heard.lapses).toBe(1);
    await close();
  },
  120_000,
);
