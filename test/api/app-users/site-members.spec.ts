import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorkspaceCreator } from '../../../src/areas/workspace/workspace/create-workspace.api.js';
import type { TestApp } from '../../support/app.js';
import { createMailbox, mailboxAt, pageMailer } from '../../support/mail/mailboxes.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { MadeUpDeployments, madeUpSite, shownPages } from '../../support/sites/made-up-deployments.js';
import { PageClient } from '../../support/sites/page-client.js';
import { SiteClient } from '../../support/sites/site-client.js';
import { entersSite, pathOf, signedInMember } from '../../support/sites/site-members.js';
import { visitorPassword as password } from '../../support/sites/site-visitors.js';

const base = 'http://localhost:3000';
let app: TestApp;
let deployments: MadeUpDeployments;
beforeAll(async () => {
  app = await sharedApp({ baseUrl: base });
  deployments = new MadeUpDeployments(app);
}, 60_000);
afterAll(() => app.close());

async function preview() {
  const one = await madeUpSite(app, deployments, ['/secret']);
  await done(app, 'site/setPageAccessRules', { pageId: one.pages['/secret'], accessRules: {} });
  return { ...one, host: new SiteClient(app, `preview--${one.id.replace('proj_', '')}.localhost:3000`) };
}

describe('a preview', () => {
  it('opens only for a member with edit rights, who can read every page', async () => {
    const { id, host } = await preview();
    const member = await signedInMember(app);
    const begun = await member.get(`/preview/${id}`);
    expect([begun.status, begun.headers.get('location')]).toEqual([303, `http://${host.host}/_site/enter?next=%2F`]);
    const entered = await entersSite(host, member, '/secret?x=1');
    expect([entered.status, entered.headers.location]).toEqual([303, '/secret?x=1']);
    expect([...host.cookies.keys()]).toEqual(['site_member']);
    const page = await host.get('/secret');
    expect([page.status, page.text.includes('"user":null'), page.text.includes('noindex')]).toEqual([200, true, true]);
    const script = /src="([^"]*)"/.exec(page.text)?.[1] ?? '';
    expect((await host.get(script)).status).toBe(200);
    const stranger = new SiteClient(app, host.host);
    expect((await stranger.get(script)).status).toBe(404);
    expect((await stranger.send('/', { method: 'POST' })).status).toBe(404);
    const signIn = await new PageClient(app).get(`/preview/${id}?browser=x`);
    expect(signIn.location).toBe(`/approvals/sign-in?next=${encodeURIComponent(`/preview/${id}?browser=x`)}`);
  });

  it('leads a member who is already signed in there to the page', async () => {
    const { id, host } = await preview();
    const member = await signedInMember(app);
    await entersSite(host, member);
    const again = async (query: string) => {
      const led = pathOf((await member.get(`/preview/${id}?${query}`)).headers.get('location'));
      const { status, headers } = await host.get(led);
      return [status, headers.location];
    };
    expect(await again('next=%2Fsecret%3Fx%3D1')).toEqual([303, '/secret?x=1']);
    // The browser does not match, so the code is refused.
    expect(await again(`next=%2Fsecret&browser=${'x'.repeat(32)}`)).toEqual([303, '/secret']);
    expect((await host.get('/_site/enter?next=//evil.example.com')).headers.location).toBe('/');
    expect((await host.get('/secret')).status).toBe(200);
  });

  it("does not count members in the site's analytics", async () => {
    const one = await preview();
    const analytics = { primaryAnalyticsId: null, secondaryAnalyticsId: 'abc12', consentBanner: false };
    deployments.publish(one.id, shownPages(one), { analytics });
    await entersSite(one.host, await signedInMember(app));
    const { text, headers } = await one.host.get('/');
    expect(text + headers['content-security-policy']).not.toContain('clarity');
    expect((await one.client.get('/')).text).toContain('clarity');
  });

  it('lets its member use the proxy, with secrets for their own hosts only, and counts no page view', async () => {
    const { id: projectId, host } = await preview();
    await done(app, 'site/createEnvVar', { projectId, name: 'OPEN', value: 'a-secret-that-names-no-host' });
    const stranger = await host.post('/api/proxy', { url: 'http://10.0.0.1/' });
    expect([stranger.status, stranger.body.code]).toEqual([401, 'site-entry-required']);
    await entersSite(host, await signedInMember(app));
    // The proxy forbids this address, but refuses with this code only those who have access.
    const asked = async (body: object) =>
      (await host.post('/api/proxy', { url: 'http://10.0.0.1/', ...body })).body.code;
    expect(await asked({})).toBe('proxy-not-followed');
    expect(await asked({ headers: { 'X-Key': '{{secret:OPEN}}' } })).toBe('proxy-secret-denied');
    expect((await host.post('/api/traffic', { path: '/' })).status).toBe(204);
    expect((await done(app, 'site/getTraffic', { projectId })).views).toBe(0);
    expect((await host.get('/')).text).toContain('"countsVisits":false');
  });

  it('accepts a code once, at its own host, in the browser that requested it', async () => {
    const { id, host } = await preview();
    const other = (await preview()).host;
    const member = await signedInMember(app);
    const asked = await host.get('/');
    const led = pathOf((await member.get(pathOf(asked.headers.location))).headers.get('location'));
    const cookies = new Map(host.cookies);
    const thief = new SiteClient(app, host.host);
    await thief.get('/');
    for (const client of [thief, new SiteClient(app, host.host), other]) {
      expect((await client.get(led)).status).toBe(403);
      expect(client.cookies.has('site_member')).toBe(false);
    }
    expect((await host.get(led)).status).toBe(303);
    const again = new SiteClient(app, host.host);
    for (const [name, value] of cookies) again.cookies.set(name, value);
    expect((await again.get(led)).status).toBe(403);
    other.cookies.set('site_member', host.cookies.get('site_member') ?? '');
    expect((await other.get('/')).status).toBe(303);
    const nowhere = await host.get(`/_site/enter?code=${'x'.repeat(32)}&next=//evil.example.com`);
    expect(nowhere.headers.location ?? '').not.toContain('evil');
    expect(id).toMatch(/^proj_/);
  });

  it('ends with the key that opened it, and is closed to Viewers', async () => {
    const { id, host } = await preview();
    const { key, id: keyId } = await done(app, 'workspace/createApiKey', { name: 'Mine', kind: 'person' });
    const member = await signedInMember(app, key);
    await entersSite(host, member);
    expect((await host.get('/')).status).toBe(200);
    await done(app, 'workspace/revokeApiKey', { id: keyId });
    expect((await host.get('/')).status).toBe(303);
    const { key: readOnly } = await done(app, 'workspace/createApiKey', {
      name: 'Reads',
      kind: 'person',
      readOnly: true,
    });
    expect((await (await signedInMember(app, readOnly)).get(`/preview/${id}`)).status).toBe(404);
    expect((await member.get('/preview/proj_none')).status).not.toBe(200);
  });

  it.each([{ areas: ['workspace', 'site'] }, { functions: [] }])(
    'is closed to a key that is limited to %j',
    async (reach) => {
      const { id } = await preview();
      const { key } = await done(app, 'workspace/createApiKey', { name: 'Narrow', kind: 'person', ...reach });
      const member = await signedInMember(app, key);
      expect((await member.get(`/preview/${id}`)).status).toBe(404);
    },
  );
});

describe("a preview's visitor API", () => {
  it('treats the member as the owner, records the member in the audit, and admits nobody else', async () => {
    await done(app, 'workspace/updateSettings', { versions: false });
    const { id, host, visitors } = await preview();
    const code = 'return { user: ctx.user, by: ctx.run.startedBy.kind }';
    const { id: functionId } = await done(app, 'site/createBackendFunction', { projectId: id, name: 'mine', code });
    expect((await host.post('/api/functions/mine')).body.code).toBe('site-entry-required');
    expect((await host.get('/api/auth/me')).status).toBe(401);
    await entersSite(host, await signedInMember(app));
    expect((await host.post('/api/functions/mine')).body.data).toEqual({ user: null, by: 'member' });
    expect((await host.post('/api/functions/none')).body.code).toBe('site-function-not-found');
    expect((await host.post('/api/functions/mine', {}, { origin: 'http://localhost:3000' })).status).toBe(403);
    const { runs } = await done(app, 'site/listFunctionRuns', { projectId: id, functionId });
    expect(runs).toMatchObject([{ startedBy: expect.stringContaining('Owner'), source: 'page' }]);
    await visitors.user('ada@example.com');
    await host.post('/api/auth/login', { email: 'ada@example.com', password });
    expect((await host.get('/api/auth/me')).body.user.email).toBe('ada@example.com');
    expect((await host.post('/api/functions/mine')).body.code).toBe('no-access-rules');
    expect((await host.get('/secret')).status).toBe(403);
  });

  it('runs functions that delete nothing for a key that never deletes', async () => {
    await done(app, 'workspace/updateSettings', { versions: false });
    const { id: projectId, host } = await preview();
    const { linkedBase } = await done(app, 'site/getProject', { id: projectId });
    const fields = [{ name: 'title', type: 'text' }];
    const { id: tableId } = await done(app, 'bases/createTable', { baseId: linkedBase.id, name: 'Notes', fields });
    const row = await done(app, 'bases/createRow', { tableId, values: { title: 'a' } });
    const code = `return ctx.tables.deleteRow('Notes', '${row.id}').catch(({ code }) => code)`;
    await done(app, 'site/createBackendFunction', { projectId, name: 'drop', code, exposed: true });
    const { id: accountFunction } = await done(app, 'automations/createFunction', {
      name: `Drops for ${projectId}`,
      code: `return ctx.sites['${projectId}'].methods.call('drop')`,
      grants: { bases: [{ projectId }] },
      accessRules: { runBy: { pages: true, functions: [], agents: [] } },
    });
    const { key } = await done(app, 'workspace/createApiKey', { name: 'Keeps', kind: 'person', neverDeletes: true });
    await entersSite(host, await signedInMember(app, key));
    for (const path of ['functions/drop', `account-functions/${accountFunction}`]) {
      expect((await host.post(`/api/${path}`)).body).toMatchObject({ data: 'key-never-deletes' });
    }
    expect((await done(app, 'bases/getRow', { tableId, id: row.id })).id).toBe(row.id);
  });
});

it("a preview lets its member's workspace functions use the mailboxes of the site (Q-A57)", async () => {
  const { id: projectId, host } = await preview();
  const { name } = await createMailbox(app, mailboxAt({ port: 25 }, { name: `Box of ${projectId}`, projectId }));
  const fn = await pageMailer(app, 'return (await ctx.email.accounts()).map(({ name }) => name)', projectId);
  await entersSite(host, await signedInMember(app));
  expect((await host.post(`/api/account-functions/${fn}`)).body.data).toContain(name);
  expect((await done(app, 'automations/invokeFunction', { id: fn })).result).not.toContain(name);
});

describe("a preview's tables", () => {
  it('are read and changed by the member as by the owner, but by a site user as by that user', async () => {
    const { id, host, visitors } = await preview();
    const baseId = (await done(app, 'site/getProject', { id })).linkedBase.id;
    await done(app, 'bases/createTable', {
      baseId,
      name: 'Notes',
      fields: [{ name: 'title', type: 'text', accessRules: { read: { type: 'creator' } } }],
    });
    const tables = async (member: string, input: object) => (await host.post(`/api/tables/${member}`, input)).body;
    expect((await tables('getRows', { table: 'Notes' })).code).toBe('site-entry-required');
    const { key } = await done(app, 'workspace/createApiKey', { name: 'Keeps', kind: 'person', neverDeletes: true });
    await entersSite(host, await signedInMember(app, key));
    const made = await tables('createRow', { table: 'Notes', values: { title: 'a' } });
    expect(made).toMatchObject({ title: 'a', createdBy: null });
    const listed = await tables('getRows', { table: 'Notes' });
    expect(listed).toMatchObject({ rows: [{ title: 'a' }], total: 1, hiddenFields: [] });
    expect((await tables('deleteRow', { table: 'Notes', id: made.id })).code).toBe('key-never-deletes');
    const { events } = await done(app, 'audit/listEvents', { id: made.id });
    expect(events).toMatchObject([{ actor: { kind: 'person', name: 'Owner' } }]);
    await visitors.user('ada@example.com');
    await host.post('/api/auth/login', { email: 'ada@example.com', password });
    expect((await tables('getRows', { table: 'Notes' })).rows).toEqual([]);
  });
});

describe('a workspace app', () => {
  it('is on a host of its own, for members only', async () => {
    const { id, slug } = await done(app, 'site/createProject', { name: 'Desk', isApp: true });
    const { handle } = await done(app, 'workspace/getWorkspace');
    const [home] = (await done(app, 'site/getProject', { id })).pages;
    const host = new SiteClient(app, `${slug}--${handle}.localhost:3000`);
    const member = await signedInMember(app);
    const begun = await member.get(`/app/${handle}/${slug}`);
    expect(begun.headers.get('location')).toBe(`http://${host.host}/_site/enter?next=%2F`);
    await entersSite(host, member);
    expect((await host.get('/')).status).toBe(404);
    deployments.publish(id, shownPages({ pages: { '/': home.id } }));
    expect((await host.get('/')).status).toBe(200);
    expect((await new SiteClient(app, host.host).get('/')).status).toBe(303);
    expect((await member.get(`/app/${handle}/none`)).status).toBe(404);
  });

  it('has a host by its id if its slug and handle are too long for a host name, otherwise by these', async () => {
    const name = `Acme ${'and sons '.repeat(20)}`;
    const creator = app.app.get(WorkspaceCreator, { strict: false });
    const { ownerKey } = await creator.found({ name, ownerName: 'Olga', ownerEmail: 'olga@example.org' });
    const { id, slug } = await done(app, 'site/createProject', { name, isApp: true }, ownerKey);
    const { handle } = await done(app, 'workspace/getWorkspace', {}, ownerKey);
    expect(`${slug}--${handle}`.length).toBeGreaterThan(63);
    const host = new SiteClient(app, `app--${id.replace('proj_', '')}.localhost:3000`);
    const [home] = (await done(app, 'site/getProject', { id }, ownerKey)).pages;
    deployments.publish(id, shownPages({ pages: { '/': home.id } }));
    await entersSite(host, await signedInMember(app, ownerKey));
    expect((await host.get('/')).status).toBe(200);
    expect((await new SiteClient(app, host.host).get('/')).headers.location).toContain(`/app/${handle}/${slug}?`);
    const short = await done(app, 'site/createProject', { name: 'Short', isApp: true });
    const byId = `app--${short.id.replace('proj_', '')}.localhost:3000`;
    expect((await new SiteClient(app, byId).get('/')).status).toBe(404);
  });
});
