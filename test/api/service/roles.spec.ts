// Engines: one process.
// Second tier.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readEnvironment } from '../../../src/config/environment.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/mail/free-port.js';
import { hooked, runsOf, settled } from '../../support/mail/mailhooks.js';
import { mailOf, ordinary } from '../../support/mail/mails.js';
import { deliver } from '../../support/mail/smtp-client.js';
import { done } from '../../support/people.js';
import { type Processes, startProcesses } from '../../support/processes.js';

const stores = ['eventStore', 'readStore', 'vault', 'blobs', 'texts'];

describe('processes with one role each', () => {
  let processes: Processes;
  let port: number;
  let api: TestApp;
  const by: Record<string, TestApp> = {};
  beforeAll(async () => {
    processes = await startProcesses();
    port = await freePort();
    for (const roles of ['projections', 'sagas,runner', 'scheduler']) by[roles] = await processes.start(roles);
    by['mail-in'] = await processes.start('mail-in', { SMTP_IN_PORT: String(port) });
    api = await processes.start('api');
    by['api'] = api;
  }, 120_000);
  afterAll(() => processes.close(), 60_000);

  it.each([
    ['api', ['realtime', 'sandbox']],
    ['projections', []],
    ['sagas,runner', ['messages', 'sandbox', 'sagas']],
    ['scheduler', []],
    ['mail-in', ['mailIn']],
  ])('%s is ready, and depends only on the stores and what it uses', async (roles, more) => {
    const { status, body } = (await by[roles]?.send('GET', '/readyz')) ?? { status: 0, body: {} };
    const parts = ['startup', ...stores, ...more, 'readModels'];
    expect([status, Object.keys(body.parts).sort()]).toEqual([200, parts.sort()]);
  });

  it('accept mail, hand it on, run it and fire schedules together', async () => {
    const { id, fnId, address } = await hooked(api, 'return 1');
    await done(api, 'automations/createSchedule', { functionId: fnId, cronExpression: '* * * * *' });
    expect(await deliver(port, address, mailOf(ordinary()))).toMatch(/^250/);
    expect(await settled(api, id)).toMatchObject([{ status: 'ok' }]);
    await eventually(
      () => runsOf(api, fnId),
      (list) => list.some(({ source }: { source: string }) => source === 'schedule'),
      90_000,
    );
  }, 120_000);
});

describe('ROLES', () => {
  const engines = {
    EVENT_STORE: 'eventstoredb',
    EVENTSTOREDB_URL: 'esdb://127.0.0.1:1?tls=false',
    READ_STORE: 'mongodb',
    MONGODB_URL: 'mongodb://127.0.0.1:1',
    MASTER_KEY: 'ab'.repeat(32),
  };
  const kafka = { MESSAGES: 'kafka', KAFKA_BROKERS: '127.0.0.1:1' };
  const take =
    (ROLES: string, more: object = {}) =>
    () =>
      readEnvironment({ ...engines, ...more, ROLES });

  it.each(['mail-in', 'scheduler', 'projections', 'api', 'api,mail-in', 'sagas,runner'])('accepts %s alone', (text) => {
    expect(take(text)().roles.join()).toBe(text);
  });

  it.each(['runner', 'sagas', 'api,runner', 'sagas,mail-in'])('accepts %s only if messages use Kafka', (text) => {
    expect(take(text)).toThrow('ROLES must include both sagas and runner, or neither, unless MESSAGES is kafka');
    expect(take(text, kafka)().roles.join()).toBe(text);
  });

  it('refuses mail-in alone without a mail port', () => {
    expect(take('mail-in', { SMTP_IN_PORT: '0' })).toThrow(
      'ROLES is only mail-in, but SMTP_IN_PORT is 0: set a port, or add another role.',
    );
    expect(take('api,mail-in', { SMTP_IN_PORT: '0' })().mailIn.port).toBeUndefined();
  });

  it.each(['mail-in', 'scheduler', 'api,projections'])('refuses %s on the embedded stores', (ROLES) => {
    expect(() => readEnvironment({ ROLES })).toThrow('ROLES must be all, or not set, with an embedded store');
  });
});
