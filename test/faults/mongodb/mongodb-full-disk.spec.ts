import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { type Engines, startEngines } from '../../support/engines.js';
import { eventually } from '../../support/eventually.js';
import { itTakesAway, standIn } from '../../support/on-stand-ins.js';

/** OutOfDiskSpace, which MongoDB answers to commands that would make its files grow. */
const full = { code: 14_031 };

describe('while the disk of MongoDB is full,', () => {
  let engines: Engines;
  let app: TestApp;
  beforeAll(async () => {
    engines = await startEngines();
    app = await startApp({ engines });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await engines.close();
  });

  itTakesAway.mongo(
    'reads work, writes are refused with the reason, and all of it works again when there is room',
    async () => {
      const mongo = standIn(engines.mongo);
      const first = (await app.call('automations/createFunction', { name: 'before', code: 'return 1' })).body;
      const room = mongo.fault({ on: /^(insert|update|commitTransaction)$/, times: 1_000_000, mishap: full });
      const refused = await app.call('automations/setEnvVar', { name: 'TOKEN', value: 'not to be seen' });
      expect([refused.status, refused.body.detail]).toEqual([
        503,
        expect.stringMatching(/^The vault cannot be .* written/),
      ]);
      const { body } = await app.send('GET', '/readyz');
      expect(JSON.stringify(body)).toContain('the disk of MongoDB is full; free some space there');
      expect(JSON.stringify(refused.body)).not.toContain('not to be seen');
      expect((await app.call('automations/getFunction', { id: first.id })).status).toBe(200);
      // The event is recorded in the log, although the read models cannot be updated yet.
      const made = await app.call('automations/createFunction', { name: 'meanwhile', code: 'return 2' });
      expect([200, 503]).toContain(made.status);
      room();
      const names = async () =>
        (await app.call('automations/listFunctions', {})).body.map((one: { name: string }) => one.name).sort();
      const wanted = made.status === 200 ? ['before', 'meanwhile'] : ['before'];
      expect(await eventually(names, (found) => found.join() === wanted.join(), 60_000)).toEqual(wanted);
      expect((await app.call('automations/setEnvVar', { name: 'TOKEN', value: 'a' })).status).toBe(200);
    },
    120_000,
  );
});
