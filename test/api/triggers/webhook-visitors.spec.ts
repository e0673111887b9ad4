import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

const signedIn = { type: 'authenticated' };
const everybody = { type: 'public', scope: 'everywhere' };
const bogus = 'x'.repeat(32);
const code =
  'return { user: ctx.user?.email ?? null, by: ctx.run.startedBy.kind, session: /xxxx/.test(JSON.stringify(params)) }';
let app: TestApp;
let visitors: SiteVisitors;
let site: SiteFunctionsScene;
let roleId: string;
let ada: string;
let bea: string;
beforeAll(async () => {
  app = await sharedApp();
  await done(app, 'workspace/updateSettings', { versions: false });
});
afterAll(() => app.close());
/** Ada has the role, Bea does not. */
beforeEach(async () => {
  visitors = await siteVisitors(app);
  site = new SiteFunctionsScene(app, visitors.projectId);
  roleId = (await done(app, 'site/createProjectRole', { projectId: site.projectId, name: 'editor' })).id;
  const { id: userId } = await visitors.user('ada@example.com');
  await done(app, 'site/assignRoleToAppUser', { userId, roleId });
  await visitors.user('bea@example.com');
  [ada, bea] = [await visitors.logIn('ada@example.com'), await visitors.logIn('bea@example.com')];
});

const send = async (functionId: string, kind: 'account' | 'site', session?: string, headers = {}) => {
  const { token } = await done(app, 'automations/createWebhook', { functionId, kind });
  return sendTo(token, session, headers);
};
const sendTo = async (token: string, session?: string, headers: Record<string, string> = {}) => {
  const { status, body } = await app.send('POST', `/api/automations/functions/webhook/${token}`, '{}', {
    'content-type': 'application/json',
    ...(session === undefined ? {} : { 'x-site-session': session }),
    ...headers,
  });
  return status === 200 ? body.data : [status, body.code];
};
const refused = [403, 'execute-refused'];

describe('the webhook of a site function', () => {
  const ruled = (execute?: unknown) =>
    site.create(`fn ${randomUUID()}`, code, execute === undefined ? {} : { accessRules: { execute } });

  it('applies its execute rule to the user whose session the call has, and to no call without one (Q-A39)', async () => {
    const { id } = await ruled({ type: 'has_role', roleId });
    expect(await send(id, 'site')).toEqual({ user: null, by: 'webhook', session: false });
    expect(await send(id, 'site', ada)).toEqual({ user: 'ada@example.com', by: 'webhook', session: false });
    expect(await send(id, 'site', bea)).toEqual(refused);
    expect(await send((await ruled()).id, 'site', ada)).toEqual([403, 'no-access-rules']);
  });

  it.each(['', 'nonsense', bogus])('treats the session %j as an anonymous visitor', async (session) => {
    expect(await send((await ruled(signedIn)).id, 'site', session)).toEqual(refused);
    expect(await send((await ruled(everybody)).id, 'site', session)).toMatchObject({ user: null, session: false });
  });

  it('does so for an ended session, and for one of another site', async () => {
    const { id } = await ruled(signedIn);
    await visitors.post('auth/logout', {}, ada);
    expect(await send(id, 'site', ada)).toEqual(refused);
    const other = await siteVisitors(app);
    await other.user('eve@example.com');
    expect(await send(id, 'site', await other.logIn('eve@example.com'))).toEqual(refused);
  });

  it('reads rows that the user may read, and all as the owner without a session', async () => {
    const { linkedBase } = await done(app, 'site/getProject', { id: site.projectId });
    const { id: tableId } = await done(app, 'bases/createTable', { baseId: linkedBase.id, name: 'Notes', fields: [] });
    await done(app, 'bases/setTableAccessRules', { tableId, accessRules: { read: { type: 'has_role', roleId } } });
    await done(app, 'bases/createRow', { tableId, values: {} });
    const counts = "return (await ctx.tables.getRows('Notes')).rows.length";
    const { id } = await site.create('counts', counts, { accessRules: { execute: everybody } });
    expect([await send(id, 'site'), await send(id, 'site', ada), await send(id, 'site', bea)]).toEqual([1, 1, 0]);
  });

  it('answers after the run although respond-async is preferred, because it runs for the user', async () => {
    const { id } = await ruled(signedIn);
    const async = { prefer: 'respond-async' };
    expect(await send(id, 'site', ada, async)).toMatchObject({ user: 'ada@example.com' });
    expect((await send(id, 'site', undefined, async))[0]).toBe(202);
  });

  it('answers a repeated delivery again to the same user only', async () => {
    const { id } = await ruled(signedIn);
    const { token } = await done(app, 'automations/createWebhook', { functionId: id, kind: 'site' });
    const again = (session?: string) => sendTo(token, session, { 'idempotency-key': 'delivery_1' });
    const users = [await again(ada), await again(bea), await again(), await again(ada)].map(({ user }) => user);
    expect(users).toEqual(['ada@example.com', 'bea@example.com', null, 'ada@example.com']);
    expect(await again(bogus)).toEqual(refused);
    expect(await site.runs()).toHaveLength(3);
  });
});

describe('the webhook of a function of the workspace', () => {
  const create = async (execute: unknown, sites: readonly string[]) => {
    const { id } = await done(app, 'automations/createFunction', {
      name: `fn ${randomUUID()}`,
      code: 'return ctx.run.startedBy.kind',
      grants: { bases: sites.map((projectId) => ({ projectId })) },
      ...(execute === undefined ? {} : { accessRules: { execute } }),
    });
    await done(app, 'automations/updateFunction', { id, isActive: true });
    return id as string;
  };

  it('admits users of its granted sites whom its execute rule admits', async () => {
    const id = await create(signedIn, [site.projectId]);
    expect([await send(id, 'account'), await send(id, 'account', ada)]).toEqual(['webhook', 'webhook']);
    expect(await send(await create(undefined, [site.projectId]), 'account', ada)).toEqual([403, 'no-access-rules']);
    expect(await send(await create(signedIn, []), 'account', ada)).toEqual([403, 'site-not-served']);
  });

  it('refuses a session of no site, although it admits everybody through its sites', async () => {
    const id = await create({ type: 'public', scope: 'internet' }, [site.projectId]);
    expect(await send(id, 'account', ada)).toBe('webhook');
    for (const session of [bogus, '']) expect(await send(id, 'account', session)).toEqual([403, 'site-not-served']);
  });
});
