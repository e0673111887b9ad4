// Engines: one process.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { RealtimeClient } from '../../support/sites/realtime-client.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

let app: TestApp;
let visitors: SiteVisitors;
const opened: RealtimeClient[] = [];
beforeAll(async () => {
  app = await sharedApp();
  await done(app, 'workspace/updateSettings', { versions: false });
});
afterAll(() => app?.close());
beforeEach(async () => {
  visitors = await siteVisitors(app);
});
afterEach(() => {
  for (const client of opened.splice(0)) client.close();
});

const connect = async (pass?: string) => {
  const client = await RealtimeClient.open(app, visitors.projectId, pass);
  opened.push(client);
  return client;
};
const member = async (email: string, more: object = {}) => {
  const { id } = await visitors.user(email, more);
  const pass = await visitors.logIn(email);
  return { id, pass, client: await connect(pass) };
};
const rule = (pattern: string, accessRules: object, sortOrder = 0) =>
  done(app, 'site/setChannelAccessRules', { projectId: visitors.projectId, pattern, accessRules, sortOrder });
const everybody = { type: 'public', scope: 'everywhere' };
const signedIn = { type: 'authenticated' };
const nobody: unknown[] = [];
const publishes = (client: RealtimeClient, channel: string, data: unknown) =>
  client.outcome({ type: 'publish', channel, data });
const refusedOn = (client: RealtimeClient, channel: string) =>
  client.next((one) => one.type === 'refused' && one.channel === channel && one.id === undefined);

describe('channels', () => {
  it('without a matching pattern admit signed-in users only (AC-32, Q-S65)', async () => {
    const { client } = await member('ada@example.com');
    const visitor = await connect();
    expect(await client.listens('news')).toBe('subscribed');
    expect(await visitor.listens('news')).toBe('channel-denied');
  });

  it('use the subscribe rule for listeners (AC-17)', async () => {
    const { id: roleId } = await done(app, 'site/createProjectRole', {
      projectId: visitors.projectId,
      name: 'Editors',
    });
    await rule('staff', { subscribe: { type: 'has_role', roleId } });
    await rule('open', { subscribe: everybody });
    const ada = await member('ada@example.com', { roleIds: [roleId] });
    const eve = await member('eve@example.com');
    expect(await ada.client.listens('staff')).toBe('subscribed');
    expect(await eve.client.listens('staff')).toBe('channel-denied');
    expect(await (await connect()).listens('open')).toBe('subscribed');
    const refused = await eve.client.subscribe('staff');
    const { body } = await app.call('workspace/explainDecision', { id: refused.decisionId });
    expect(body.place).toMatchObject({ kind: 'channel', id: 'staff', operation: 'subscribe' });
    expect(body).toMatchObject({ allowedNow: false, changedSince: false });
  });

  it('are named exactly, by a wildcard or with {self} (RT-01)', async () => {
    await rule('news', { subscribe: everybody });
    await rule('chat:*', { subscribe: everybody });
    await rule('inbox:{self}', { subscribe: signedIn });
    const ada = await member('ada@example.com');
    const visitor = await connect();
    expect(await visitor.listens('news')).toBe('subscribed');
    expect(await visitor.listens('news:1')).toBe('channel-denied');
    expect(await visitor.listens('chat:1:2')).toBe('subscribed');
    expect(await visitor.listens('chat')).toBe('channel-denied');
    expect(await ada.client.listens(`inbox:${ada.id}`)).toBe('subscribed');
    expect(await ada.client.listens('inbox:usr_else')).toBe('channel-denied');
    expect(await visitor.listens(`inbox:${ada.id}`)).toBe('channel-denied');
  });

  it('are decided by the first matching pattern, ties by its text (RT-02, Q-S66)', async () => {
    await rule('chat:1', { subscribe: nobody }, 1);
    await rule('chat:*', { subscribe: everybody }, 2);
    await rule('tie:*', { subscribe: nobody });
    await rule('tie:1', { subscribe: everybody });
    const visitor = await connect();
    expect(await visitor.listens('chat:1')).toBe('channel-denied');
    expect(await visitor.listens('chat:2')).toBe('subscribed');
    expect(await visitor.listens('tie:1')).toBe('channel-denied');
    await rule('chat:1', { subscribe: nobody }, 3);
    expect(await visitor.listens('chat:1')).toBe('subscribed');
  });

  it('of guests are only their own guest:{id}:*, while guest access is on (RT-03)', async () => {
    const { projectId } = visitors;
    await rule('open', { subscribe: everybody });
    await done(app, 'site/setRealtimeGuestAccess', { projectId, enabled: true });
    const { body } = await visitors.post('auth/guest');
    const guest = await connect(body.session.token);
    expect(await guest.listens(`guest:${body.guestId}:offers`)).toBe('subscribed');
    expect(await guest.listens('guest:gst_else:offers')).toBe('channel-denied');
    expect(await guest.listens('open')).toBe('channel-denied');
    const { client } = await member('ada@example.com');
    expect(await client.listens(`guest:${body.guestId}:offers`)).toBe('channel-denied');
    await done(app, 'site/setRealtimeGuestAccess', { projectId, enabled: false });
    await refusedOn(guest, `guest:${body.guestId}:offers`);
  });

  it("deliver a function's message to each listener once and in order, with its origin (CC-19, EB-01)", async () => {
    await rule('news', { subscribe: everybody });
    const functions = new SiteFunctionsScene(app, visitors.projectId);
    const fn = await functions.create(
      'tell',
      'for (let n = 0; n < 20; n += 1) await ctx.realtime.publish("news", { n, ß: "ü" }); return null',
      { accessRules: { execute: everybody } },
    );
    const [one, other] = [await connect(), await connect()];
    await one.listens('news');
    await other.listens('news');
    expect((await visitors.post('functions/tell')).status).toBe(200);
    const all = Array.from({ length: 20 }, (_, n) => ({ n, ß: 'ü' }));
    for (const client of [one, other]) {
      await client.settled();
      expect(client.heard('news')).toEqual(all);
      const [first] = client.received.filter(({ type }) => type === 'message');
      expect(first).toEqual({
        type: 'message',
        channel: 'news',
        data: { n: 0, ß: 'ü' },
        from: { kind: 'function', id: fn.id },
        at: expect.stringMatching(/^\d{4}-.*Z$/),
      });
    }
  });

  it('hide values of secrets that a function publishes, anywhere in the data (CC-19)', async () => {
    await rule('news', { subscribe: everybody });
    const value = 'sk_live_R3alt1me/S3cr3t+With=Signs';
    await done(app, 'site/createEnvVar', { projectId: visitors.projectId, name: 'API_KEY', value });
    const functions = new SiteFunctionsScene(app, visitors.projectId);
    const code = 'return ctx.realtime.publish("news", params)';
    await functions.create('tell', code, { accessRules: { execute: everybody } });
    const listener = await connect();
    await listener.listens('news');
    const sent = {
      text: `it is ${value}.`,
      list: [[value], encodeURIComponent(value)],
      [value]: 1,
      plain: 'öffentlich',
    };
    expect((await visitors.post('functions/tell', sent)).status).toBe(200);
    await listener.next(({ type }) => type === 'message');
    expect(listener.heard('news')).toEqual([
      { text: 'it is ***.', list: [['***'], '***'], '***': 1, plain: 'öffentlich' },
    ]);
    expect(JSON.stringify(listener.received)).not.toContain('R3alt1me');
  });

  it('accept messages of visitors only if a rule has publish', async () => {
    await rule('chat:*', { subscribe: signedIn, publish: signedIn });
    await rule('news', { subscribe: signedIn });
    const ada = await member('ada@example.com');
    const eve = await member('eve@example.com');
    await eve.client.listens('chat:1');
    await ada.client.listens('chat:1');
    expect(await publishes(ada.client, 'chat:1', 'hello')).toBe('published');
    expect(await publishes(ada.client, 'news', 'hello')).toBe('publish-denied');
    expect(await publishes(ada.client, 'elsewhere', 'hello')).toBe('publish-denied');
    const visitor = await connect();
    expect(await publishes(visitor, 'chat:1', 'spam')).toBe('publish-denied');
    await eve.client.settled();
    const [message] = eve.client.received.filter(({ type }) => type === 'message');
    expect(message).toMatchObject({ data: 'hello', from: { kind: 'user', id: ada.id } });
    expect(ada.client.heard('chat:1')).toEqual(['hello']);
  });

  it('of another site are separate', async () => {
    await rule('chat', { subscribe: everybody, publish: everybody });
    const here = await connect();
    await here.listens('chat');
    visitors = await siteVisitors(app);
    await rule('chat', { subscribe: everybody, publish: everybody });
    const elsewhere = await connect();
    await elsewhere.listens('chat');
    await publishes(elsewhere, 'chat', 'there');
    await here.settled();
    expect([here.heard('chat'), elsewhere.heard('chat')]).toEqual([[], ['there']]);
  });

  it('are left by unsubscribe', async () => {
    await rule('chat', { subscribe: everybody, publish: everybody });
    const client = await connect();
    await client.listens('chat');
    await publishes(client, 'chat', 1);
    expect(await client.outcome({ type: 'unsubscribe', channel: 'chat' })).toBe('unsubscribed');
    await publishes(client, 'chat', 2);
    await client.settled();
    expect(client.heard('chat')).toEqual([1]);
  });
});
