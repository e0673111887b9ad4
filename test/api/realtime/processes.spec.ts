import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Broadcast } from '../../../src/ports/broadcast.port.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { type Processes, startTwoApis } from '../../support/processes.js';
import { RealtimeClient } from '../../support/sites/realtime-client.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

let processes: Processes;
let one: TestApp;
let two: TestApp;
let visitors: SiteVisitors;
let projectId: string;
const opened: RealtimeClient[] = [];
beforeAll(async () => {
  [processes, one, two] = await startTwoApis();
}, 60_000);
afterAll(() => processes?.close(), 60_000);
beforeEach(async () => {
  visitors = await siteVisitors(one);
  projectId = visitors.projectId;
}, 60_000);
afterEach(() => {
  for (const client of opened.splice(0)) client.close();
});

const everybody = { type: 'public', scope: 'everywhere' };
const connect = async (app: TestApp, pass?: string) => {
  const client = await RealtimeClient.open(app, projectId, pass);
  opened.push(client);
  return client;
};
const rule = (pattern: string, accessRules: object) =>
  done(one, 'site/setChannelAccessRules', { projectId, pattern, accessRules });
const user = async (email: string) => {
  const { id } = await visitors.user(email);
  return { id, pass: await visitors.logIn(email) };
};
const presentAt = async (client: RealtimeClient, channel: string) =>
  (await client.ask({ type: 'presence', channel })).present;

describe('realtime at several processes', () => {
  it('reaches listeners at any of them, once and in order', async () => {
    await rule('chat', { subscribe: everybody, publish: everybody });
    const [here, there] = [await connect(one), await connect(two)];
    await here.listens('chat');
    await there.listens('chat');
    for (let n = 0; n < 20; n += 1) await here.ask({ type: 'publish', channel: 'chat', data: n });
    for (const client of [here, there]) await client.next(({ data }) => data === 19);
    const all = Array.from({ length: 20 }, (_, n) => n);
    expect([here.heard('chat'), there.heard('chat')]).toEqual([all, all]);
  });

  it('transports messages of functions from the process that runs them', async () => {
    await rule('news', { subscribe: everybody });
    const functions = new SiteFunctionsScene(one, projectId);
    await functions.create('tell', 'return ctx.realtime.publish("news", params)', {
      accessRules: { execute: everybody },
    });
    const there = await connect(two);
    await there.listens('news');
    await visitors.post('functions/tell', { a: 1 });
    await there.next(({ type }) => type === 'message');
    expect(there.heard('news')).toEqual([{ a: 1 }]);
  });

  it.each([
    ['a ban', (id: string) => done(one, 'site/updateAppUser', { projectId, userId: id, isBanned: true })],
    ['a rule', () => rule('*', { subscribe: [] })],
    ['a sign-out', (_: string, pass: string) => visitors.post('auth/logout', {}, pass)],
  ])('ends with %s at another process', async (_, end) => {
    const { id, pass } = await user('ada@example.com');
    const there = await connect(two, pass);
    expect(await there.listens('news')).toBe('subscribed');
    await end(id, pass);
    await there.next(({ type, channel }) => type === 'refused' && channel === 'news');
  });

  it('reports changes of rows at another process', async () => {
    const baseId = (await done(one, 'site/getProject', { id: projectId })).linkedBase.id;
    const fields = [{ name: 'title', type: 'text' }];
    const { id: tableId } = await done(one, 'bases/createTable', { baseId, name: 'Tasks', fields });
    await done(one, 'bases/setTableAccessRules', { tableId, accessRules: { read: everybody } });
    const there = await connect(two);
    await there.ask({ type: 'subscribe-rows', table: 'Tasks' });
    const { id } = await done(one, 'bases/createRow', { tableId, values: { title: 'a' } });
    await there.next(({ op, rowId }) => op === 'created' && rowId === id);
    await done(two, 'bases/deleteRow', { tableId, id });
    await there.next(({ op, rowId }) => op === 'gone' && rowId === id);
  });

  it('shows who is present at all of them, and drops those of a process that died', async () => {
    await rule('presence:*', { subscribe: everybody });
    const [ada, eve] = [await user('ada@example.com'), await user('eve@example.com')];
    const [here, there, again] = [
      await connect(one, ada.pass),
      await connect(two, eve.pass),
      await connect(two, ada.pass),
    ];
    for (const client of [here, there, again]) await client.listens('presence:room');
    const both = [
      { kind: 'user', id: ada.id, connections: 2 },
      { kind: 'user', id: eve.id, connections: 1 },
    ].sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const client of [here, there]) {
      expect(
        await eventually(
          () => presentAt(client, 'presence:room'),
          (present) => JSON.stringify(present) === JSON.stringify(both),
        ),
      ).toEqual(both);
    }
    again.close();
    await eventually(
      () => presentAt(here, 'presence:room'),
      (present) => present.find(({ id }: { id: string }) => id === ada.id)?.connections === 1,
    );
    // Without its broadcast, the second process goes silent without announcing it, as if it had been killed.
    await two.app.get(Broadcast).close();
    await eventually(
      () => presentAt(here, 'presence:room'),
      (present) => present.length === 1 && present[0].id === ada.id,
    );
  }, 60_000);

  it('is refused as unavailable at a process that does not hear the others', async () => {
    const { body } = await two.send('GET', '/readyz');
    expect(body.parts.realtime).toContain('closed');
    await expect(connect(two)).rejects.toMatchObject({ status: 503, code: 'realtime-away' });
    expect((await one.send('GET', '/readyz')).body.parts.realtime).toBe('ok');
  });
});
