import { afterEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/ports/clock.port.js';
import { type Reply, startApp, type TestApp } from '../../support/app.js';
import { activeFunction } from '../../support/automations/flows.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';

let app: TestApp;
let clock: MadeUpClock;
const start = async (environment: Record<string, string>) => {
  clock = new MadeUpClock(Date.now());
  app = await startApp({ environment, replacements: [{ provide: Clock, useValue: clock }] });
};
afterEach(() => app.close());

const list = (key?: string) => app.call('automations/listFunctions', {}, key);
const brief = ({ status, body, headers }: Reply) => [status, body.code, headers.get('retry-after')];
const times = async (count: number, call: () => Promise<Reply>) => {
  const statuses: number[] = [];
  for (let n = 0; n < count; n++) statuses.push((await call()).status);
  return statuses;
};
const all = (count: number, status: number) => Array.from({ length: count }, () => status);

describe('a key', () => {
  it('may make a limited number of calls per second, with a burst of five seconds, independently of other keys', async () => {
    await start({ KEY_RATE: '2' });
    const key = await keyOf(app, { kind: 'automation' });
    expect(await times(10, () => list(key))).toEqual(all(10, 200));
    expect(brief(await list(key))).toEqual([429, 'key-rate', '1']);
    expect((await list()).status).toBe(200);
    clock.advance(1_000);
    expect(await times(3, () => list(key))).toEqual([200, 200, 429]);
  });

  it('is limited in refused calls and queries, too', async () => {
    await start({ KEY_RATE: '1' });
    const { key } = await person(app, 'viewer');
    const create = () => app.call('automations/createFunction', { name: 'f', code: '' }, key);
    expect(await times(6, create)).toEqual([...all(5, 403), 429]);
    const reader = await keyOf(app, { kind: 'person', readOnly: true });
    expect(await times(6, () => app.call('audit/listEvents', {}, reader))).toEqual([...all(5, 200), 429]);
  });

  it('shares the calls of its workspace', async () => {
    await start({ WORKSPACE_RATE: '2' });
    const other = await otherWorkspace(app);
    clock.advance(5_000);
    await times(10, () => list());
    expect(brief(await list())).toEqual([429, 'workspace-rate', '1']);
    expect((await list(other.ownerKey)).status).toBe(200);
  });

  it('has a limit by default', async () => {
    await start({ KEY_RATE: '', WORKSPACE_RATE: '' });
    // A refused call counts like any other, and costs the service least.
    const refused = () => app.call('automations/listFunctions', { surprise: 1 });
    const codes: string[] = [];
    while (codes.length < 1_020) {
      const replies = await Promise.all(Array.from({ length: 20 }, refused));
      codes.push(...replies.map(({ body }) => body.code));
    }
    expect(codes.slice(0, 1_000).filter((code) => code !== 'invalid-input')).toEqual([]);
    expect(codes.slice(1_000).filter((code) => code !== 'key-rate')).toEqual([]);
  });
});

describe('a webhook', () => {
  it('accepts a limited number of deliveries per second, without affecting others', async () => {
    await start({ WEBHOOK_RATE: '1' });
    const functionId = await activeFunction(app, 'return 1');
    const [one, two] = [
      await done(app, 'automations/createWebhook', { functionId }),
      await done(app, 'automations/createWebhook', { functionId }),
    ];
    const deliver = (token: string) => app.send('POST', `/api/automations/functions/webhook/${token}`, '{}');
    expect(await times(5, () => deliver(one.token))).toEqual(all(5, 200));
    expect(brief(await deliver(one.token))).toEqual([429, 'webhook-rate', '1']);
    expect((await deliver(two.token)).status).toBe(200);
    clock.advance(1_000);
    expect((await deliver(one.token)).status).toBe(200);
  });
});

describe('wrong keys', () => {
  const limited = [429, 'wrong-keys-limited', '60'];

  it('are looked up twenty times a minute, even if they arrive at once', async () => {
    await start({ WRONG_KEYS_A_MINUTE: '' });
    const tried = await Promise.all(Array.from({ length: 50 }, (_, n) => list(`csk_wrong_${n}`)));
    expect(tried.filter(({ status }) => status === 401)).toHaveLength(20);
    expect(tried.filter(({ status }) => status === 429)).toHaveLength(30);
    expect(brief(await list('csk_wrong'))).toEqual(limited);
    clock.advance(60_000);
    expect((await list('csk_wrong')).status).toBe(401);
  });

  it('do not lock out callers with a formerly accepted key, but a new right one', async () => {
    await start({ WRONG_KEYS_A_MINUTE: '3' });
    const key = await keyOf(app, { kind: 'automation' });
    await times(3, () => list('csk_wrong'));
    expect(brief(await list(key))).toEqual(limited);
    expect((await list()).status).toBe(200);
  });

  it('are counted for each address behind a trusted proxy', async () => {
    await start({ WRONG_KEYS_A_MINUTE: '3', TRUST_PROXY: '2' });
    const from = (addresses: string) =>
      app.call('automations/listFunctions', {}, 'csk_wrong', { 'x-forwarded-for': addresses });
    await times(3, () => from('6.6.6.6, 192.0.2.1, 10.0.0.1'));
    expect((await from('7.7.7.7, 192.0.2.1, 10.0.0.2')).status).toBe(429);
    expect((await from('6.6.6.6, 192.0.2.2, 10.0.0.1')).status).toBe(401);
  });
});
