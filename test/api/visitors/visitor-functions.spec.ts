// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';
import { type SiteVisitors, siteVisitors, visitorsOf } from '../../support/sites/site-visitors.js';

let app: TestApp;
let visitors: SiteVisitors;
let site: SiteFunctionsScene;
beforeAll(async () => {
  app = await sharedApp();
  await done(app, 'workspace/updateSettings', { versions: false });
});
afterAll(() => app?.close());
beforeEach(async () => {
  visitors = await siteVisitors(app, { authCustomFields: [{ name: 'plan', type: 'text' }] });
  site = new SiteFunctionsScene(app, visitors.projectId);
});

const everybody = { type: 'public', scope: 'everywhere' };
const signedIn = { type: 'authenticated' };
const rules = (execute: unknown, runBy?: object) => ({ accessRules: { execute, ...(runBy ? { runBy } : {}) } });
const call = (name: string, body?: unknown, pass?: string, headers?: Record<string, string>) =>
  visitors.post(`functions/${encodeURIComponent(name)}`, body, pass, headers);
const outcome = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return status === 200 ? body.data : [status, body.code];
};
const logIn = async (email: string, more: object = {}) => {
  const { id } = await visitors.user(email, more);
  return { id, pass: await visitors.logIn(email) };
};

describe('functions/<name>', () => {
  it('runs the function with the body as params, and answers its result and time', async () => {
    await site.create('Größe / Höhe', 'return { got: params }', rules(everybody));
    const { status, body, headers } = await call('Größe / Höhe', { a: [1, null, 'ß'] });
    expect([status, body]).toEqual([
      200,
      { success: true, data: { got: { a: [1, null, 'ß'] } }, executionTime: expect.any(Number) },
    ]);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it("answers 422 with the function's own message if it fails", async () => {
    await site.create('broken', "throw new Error('Sold out.')", rules(everybody));
    const { status, body } = await call('broken');
    expect([status, body.success, body.error, body.detail]).toEqual([422, false, 'Sold out.', 'Sold out.']);
    expect((await site.runs())[0]).toMatchObject({ error: 'Sold out. (line 1)' });
    expect(body).not.toHaveProperty('details');
  });

  it('of deleted data answers 422 without the names of fields, which members get', async () => {
    const { projectId } = visitors;
    const { linkedBase } = await done(app, 'site/getProject', { id: projectId });
    const fields = [
      { name: 'wage', type: 'number' },
      { name: 'salary', type: 'number' },
    ];
    const table = await done(app, 'bases/createTable', { baseId: linkedBase.id, name: 'Staff', fields });
    const definition = { kind: 'list', table: 'Staff', filter: { salary: { gt: 1 } } };
    await done(app, 'site/createDataFunction', { projectId, name: 'staff', definition, ...rules(everybody) });
    const refusedTo = async () => {
      const { status, body } = await call('staff');
      expect(JSON.stringify(body)).not.toMatch(/wage|salary|Staff/);
      return [status, body.code, body.success];
    };
    expect((await call('staff')).status).toBe(200);
    const salary = table.fields.find(({ name }: { name: string }) => name === 'salary');
    await done(app, 'bases/removeField', { tableId: table.id, fieldId: salary.id });
    expect(await refusedTo()).toEqual([422, 'function-failed', false]);
    expect((await site.runs())[0]).toMatchObject({ error: expect.stringContaining("'salary'") });
    const member = await site.invoke('staff', {});
    expect(member).toMatchObject({ status: 409, body: { code: 'data-field-gone', fields: ['wage'] } });
    await done(app, 'bases/deleteTable', { id: table.id });
    expect(await refusedTo()).toEqual([422, 'function-failed', false]);
  });

  it('is refused without an execute rule: users of the site learn why (XE-02)', async () => {
    await site.create('closed', 'return 1');
    const { pass } = await logIn('ada@example.com');
    const { status, body } = await call('closed', {}, pass);
    expect([status, body.code]).toEqual([403, 'no-access-rules']);
    expect(body.detail).toContain('No access rules configured');
    expect(await outcome(call('closed'))).toEqual([403, 'execute-refused']);
    expect(await site.runs()).toEqual([]);
  });

  it("is judged for the caller's present state at every call", async () => {
    const gold = { type: 'user_property', property: 'plan', operator: 'eq', value: 'gold' };
    await site.create('gold', 'return ctx.user.email', rules(gold));
    const { id, pass } = await logIn('ada@example.com', { customFields: { plan: 'gold' } });
    expect(await outcome(call('gold', {}, pass))).toBe('ada@example.com');
    expect(await outcome(call('gold'))).toEqual([403, 'execute-refused']);
    await done(app, 'site/updateAppUser', { projectId: site.projectId, userId: id, customFields: { plan: 'basic' } });
    expect(await outcome(call('gold', {}, pass))).toEqual([403, 'execute-refused']);
  });

  it('asks a gate function again as soon as a role, an entitlement or a property of the user changes', async () => {
    const { projectId } = site;
    const gate = await site.createGate('gate', 'return params.user !== null && params.user.roleIds.length > 0');
    await site.create('gated', 'return 1', rules({ type: 'function', functionId: gate.id }));
    const { id: userId, pass } = await logIn('ada@example.com');
    const { id: roleId } = await done(app, 'site/createProjectRole', { projectId, name: 'Editors' });
    expect(await outcome(call('gated', {}, pass))).toEqual([403, 'execute-refused']);
    await done(app, 'site/assignRoleToAppUser', { userId, roleId });
    expect(await outcome(call('gated', {}, pass))).toBe(1);
    await done(app, 'site/unassignRoleFromAppUser', { userId, roleId });
    expect(await outcome(call('gated', {}, pass))).toEqual([403, 'execute-refused']);
  });

  it('treats a banned user as anonymous', async () => {
    await site.create('members', 'return 1', rules(signedIn));
    await site.create('open', 'return ctx.user', rules(everybody));
    const { id, pass } = await logIn('ada@example.com');
    expect(await outcome(call('members', {}, pass))).toBe(1);
    await done(app, 'site/updateAppUser', { projectId: site.projectId, userId: id, isBanned: true });
    expect(await outcome(call('members', {}, pass))).toEqual([403, 'execute-refused']);
    expect(await outcome(call('open', {}, pass))).toBeNull();
  });

  it('names the page in X-Page-Id, which runBy.pages requires', async () => {
    await site.create('paged', 'return 1', rules(everybody, { pages: ['page_1'] }));
    expect(await outcome(call('paged', {}, undefined, { 'x-page-id': 'page_1' }))).toBe(1);
    expect(await outcome(call('paged', {}, undefined, { 'x-page-id': 'page_2' }))).toEqual([403, 'execute-refused']);
    expect(await outcome(call('paged', {}, undefined, { 'x-page-id': '<script>' }))).toEqual([403, 'execute-refused']);
    expect(await outcome(call('paged'))).toEqual([403, 'execute-refused']);
  });

  it('starts with runBy.pages true and any on every page, but with false or an unknown page on none (Q-S67)', async () => {
    const paged = { 'x-page-id': 'page_1' };
    for (const pages of [true, 'any']) {
      const { name } = await site.create(`open ${pages}`, 'return 1', rules(everybody, { pages }));
      expect([await outcome(call(name)), await outcome(call(name, {}, undefined, paged))]).toEqual([1, 1]);
    }
    for (const pages of [false, [], ['page_gone']]) {
      const { name } = await site.create(`shut ${JSON.stringify(pages)}`, 'return 1', rules(everybody, { pages }));
      expect(await outcome(call(name, {}, undefined, paged))).toEqual([403, 'execute-refused']);
    }
    const { linkedBase } = await done(app, 'site/getProject', { id: site.projectId });
    await done(app, 'bases/createTable', { baseId: linkedBase.id, name: 'Notes', fields: [] });
    const named = { projectId: site.projectId, name: 'counts', definition: { kind: 'count', table: 'Notes' } };
    const counts = await done(app, 'site/createDataFunction', { ...named, ...rules(everybody, { pages: false }) });
    expect(counts.accessRules.runBy.pages).toBe(false);
    expect(await outcome(call('counts'))).toEqual([403, 'execute-refused']);
  });

  it('a rule for this site only requires a pass of it, also a guest pass', async () => {
    await site.create('here', 'return 1', rules({ type: 'public', scope: 'site' }));
    const { pass } = await logIn('ada@example.com');
    expect(await outcome(call('here'))).toEqual([403, 'execute-refused']);
    expect(await outcome(call('here', {}, pass))).toBe(1);
    const other = await siteVisitors(app);
    await other.user('eve@example.com');
    expect(await outcome(call('here', {}, await other.logIn('eve@example.com')))).toEqual([403, 'execute-refused']);
  });

  it('is refused by the name of a function of another site, and by its id', async () => {
    const fn = await site.create('here', 'return 1', rules(everybody));
    const other = visitorsOf(app, (await done(app, 'site/createProject', { name: 'Other' })).id);
    const asked = await other.post('functions/here');
    expect([asked.status, asked.body.code]).toEqual([403, 'execute-refused']);
    expect(await outcome(call(fn.id))).toEqual([403, 'execute-refused']);
  });

  it.each([
    ['another method', 'GET', undefined, { 'content-type': 'application/json' }, 405],
    ['a form', 'POST', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['no object', 'POST', '[1]', { 'content-type': 'application/json' }, 400],
    ['broken JSON', 'POST', '{', { 'content-type': 'application/json' }, 400],
  ])('refuses a call by %s', async (_, method, body, headers, status) => {
    await site.create('open', 'return 1', rules(everybody));
    const reply = await app.send(method, `/api/app/${site.projectId}/functions/open`, body, headers);
    expect(reply.status).toBe(status);
  });

  it('is recorded as started by the user, without personal data', async () => {
    const fn = await site.create('seen', 'return 1', rules(everybody));
    const { pass } = await logIn('ada@example.com');
    await call('seen', {}, pass);
    const runs = await eventually(
      () => site.runs({ functionId: fn.id }),
      ({ length }) => length === 1,
    );
    expect(runs[0]).toMatchObject({ source: 'page', status: 'success' });
    expect(JSON.stringify(runs)).not.toContain('ada@example.com');
  });
});

describe('account-functions/<id or name>', () => {
  const create = async (more: object = {}) => {
    const name = `of all ${crypto.randomUUID()}`;
    const pages = { pages: true, functions: [], agents: [] };
    const { id } = await done(app, 'automations/createFunction', {
      name,
      code: 'return { got: params, by: ctx.run.startedBy.kind }',
      grants: { bases: [{ projectId: site.projectId }] },
      accessRules: { execute: signedIn, runBy: pages },
      ...more,
    });
    await done(app, 'automations/updateFunction', { id, isActive: true });
    return { id: id as string, name };
  };
  const ask = (which: string, body?: unknown, pass?: string) =>
    outcome(visitors.post(`account-functions/${encodeURIComponent(which)}`, body, pass));

  it('runs by id or name for visitors whom it admits', async () => {
    const { id, name } = await create();
    const { pass } = await logIn('ada@example.com');
    const expected = { got: { a: 1 }, by: 'siteUser' };
    expect(await ask(id, { a: 1 }, pass)).toEqual(expected);
    expect(await ask(name, { a: 1 }, pass)).toEqual(expected);
    expect(await ask(name)).toEqual([403, 'execute-refused']);
  });

  it.each([
    [
      'pages may not start it',
      { accessRules: { execute: signedIn, runBy: { pages: false, functions: [], agents: [] } } },
      'execute-refused',
    ],
    ['the site is not granted to it', { grants: { bases: [] } }, 'execute-refused'],
    [
      'it has no execute rule',
      { accessRules: { runBy: { pages: true, functions: [], agents: [] } } },
      'no-access-rules',
    ],
  ])('is refused if %s', async (_, more, code) => {
    const { id } = await create(more);
    const { pass } = await logIn('ada@example.com');
    expect(await ask(id, {}, pass)).toEqual([403, code]);
  });

  it('is refused by an unknown name, and by the id of a site function', async () => {
    const fn = await site.create('here', 'return 1', rules(everybody));
    expect(await ask(fn.id)).toEqual([403, 'execute-refused']);
    expect(await ask('nothing')).toEqual([403, 'execute-refused']);
  });
});

describe('ctx.sites of a function of the workspace', () => {
  it('are judged as the visitor, in the visited site only', async () => {
    const { projectId } = site;
    const shop = await done(app, 'site/createProject', { name: `Shop ${crypto.randomUUID()}` });
    const tableOf = async (id: string) => {
      const { linkedBase } = await done(app, 'site/getProject', { id });
      const made = { baseId: linkedBase.id, name: 'Notes', fields: [{ name: 'text', type: 'text' }] };
      const { id: tableId } = await done(app, 'bases/createTable', made);
      await done(app, 'bases/setTableAccessRules', { tableId, accessRules: { read: signedIn } });
      await done(app, 'bases/createRow', { tableId, values: { text: 'seen' } });
    };
    await tableOf(projectId);
    await tableOf(shop.id);
    const code = (name: string) => `return (await ctx.sites['${name}'].tables.getRows('Notes')).rows.length`;
    const create = async (of: string) => {
      const { id } = await done(app, 'automations/createFunction', {
        name: `reads ${crypto.randomUUID()}`,
        code: code(of),
        grants: { bases: [{ projectId }, { projectId: shop.id }] },
        accessRules: {
          execute: { type: 'public', scope: 'internet' },
          runBy: { pages: true, functions: [], agents: [] },
        },
      });
      await done(app, 'automations/updateFunction', { id, isActive: true });
      return id as string;
    };
    const { pass } = await logIn('ada@example.com');
    const here = await create(projectId);
    const there = await create(shop.id);
    const ask = (id: string, as?: string) => outcome(visitors.post(`account-functions/${id}`, {}, as));
    expect([await ask(here, pass), await ask(here), await ask(there, pass)]).toEqual([1, 0, 0]);
    expect((await done(app, 'automations/invokeFunction', { id: there })).result).toBe(1);
  });
});
