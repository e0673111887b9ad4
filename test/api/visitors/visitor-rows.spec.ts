import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

const everybody = { type: 'public', scope: 'everywhere' };
const signedIn = { type: 'authenticated' };

let app: TestApp;
let visitors: SiteVisitors;
let tableId: string;
let fields: Record<string, string>;
interface SignedIn {
  readonly id: string;
  readonly pass: string;
}
let ada: SignedIn;
let eve: SignedIn;
let guest: string;
beforeAll(async () => {
  app = await sharedApp();
  await done(app, 'workspace/updateSettings', { versions: false });
  visitors = await siteVisitors(app, { authCustomFields: [{ name: 'team', type: 'text' }] });
  const { projectId } = visitors;
  const site = new SiteFunctionsScene(app, projectId);
  await site.create('rows', program, { accessRules: { execute: everybody } });
  await done(app, 'site/setRealtimeGuestAccess', { projectId, enabled: true });
  ada = await logIn('ada@example.com', { customFields: { team: 'red' } });
  eve = await logIn('eve@example.com', { customFields: { team: 'blue' } });
  const begun = await visitors.post('auth/guest');
  guest = begun.body.session.token;
  const { linkedBase } = await done(app, 'site/getProject', { id: projectId });
  const table = await done(app, 'bases/createTable', {
    baseId: linkedBase.id,
    name: 'Notes',
    fields: [
      { name: 'title', type: 'text' },
      { name: 'team', type: 'text' },
      { name: 'mail', type: 'email' },
      { name: 'secret', type: 'number' },
    ],
  });
  tableId = table.id;
  fields = Object.fromEntries(table.fields.map(({ name, id }: { name: string; id: string }) => [name, id]));
});
afterAll(() => app?.close());
beforeEach(async () => {
  const { rows } = await done(app, 'bases/listRows', { tableId });
  await done(app, 'bases/deleteRows', { tableId, ids: rows.map(({ id }: { id: string }) => id) });
  await done(app, 'bases/updateField', { tableId, fieldId: fields['secret'], accessRules: {} });
});

/** Calls a member of `ctx.tables` as the function's caller. Returns the result, or status and code of the refusal. */
const program = `
  const told = (work) => work.then((answer) => answer ?? 'done', ({ status, code }) => [status, code]);
  const { member, args } = params;
  return told(ctx.tables[member]('Notes', ...args));`;

async function logIn(email: string, more: object = {}): Promise<SignedIn> {
  const { id } = await visitors.user(email, more);
  return { id, pass: await visitors.logIn(email) };
}

const as = (pass?: string) => async (member: string, args: readonly unknown[]) => {
  const { status, body } = await visitors.post('functions/rows', { member, args }, pass);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.data;
};
const titles = async (pass?: string) => {
  const { rows } = await as(pass)('getRows', []);
  return rows.map(({ title }: { title: string }) => title).sort();
};
const setRules = (accessRules: object) => done(app, 'bases/setTableAccessRules', { tableId, accessRules });
const add = (...rows: readonly object[]) => done(app, 'bases/createRows', { tableId, rows });

describe('rows can be read by', () => {
  const all = async () => [await titles(ada.pass), await titles(eve.pass), await titles(guest), await titles()];

  it('nobody while the table has no rules', async () => {
    await add({ title: 'a' });
    expect(await all()).toEqual([[], [], [], []]);
  });

  it('signed-in users, but not guests and anonymous visitors', async () => {
    await setRules({ read: signedIn });
    await add({ title: 'a' });
    expect(await all()).toEqual([['a'], ['a'], [], []]);
  });

  it('visitors through the site, including guests', async () => {
    await setRules({ read: { type: 'public', scope: 'site' } });
    await add({ title: 'a' });
    expect(await all()).toEqual([['a'], ['a'], ['a'], []]);
  });

  it('the user who made them', async () => {
    await setRules({ read: { type: 'creator' }, create: signedIn });
    await add({ title: "the owner's" });
    await as(ada.pass)('createRow', [{ title: 'hers' }]);
    expect(await as(guest)('createRow', [{ title: 'no' }])).toEqual([403, 'row-not-allowed']);
    expect(await all()).toEqual([['hers'], [], [], []]);
  });

  it('the user whose field has the same value, with its present state', async () => {
    await setRules({ read: { type: 'field_match', field: 'team', property: 'team' } });
    await add({ title: 'r', team: 'red' }, { title: 'b', team: 'blue' }, { title: 'none' });
    expect(await all()).toEqual([['r'], ['b'], [], []]);
    const change = { projectId: visitors.projectId, userId: eve.id };
    await done(app, 'site/updateAppUser', { ...change, customFields: { team: 'red' } });
    expect(await titles(eve.pass)).toEqual(['r']);
    await done(app, 'site/updateAppUser', { ...change, customFields: { team: 'blue' } });
  });

  it('the user with that email, only once it is verified', async () => {
    await setRules({ read: { type: 'email', field: 'mail' } });
    await add({ title: 'a', mail: 'Ada@Example.com' }, { title: 'n', mail: 'new@example.com' });
    const signUp = { email: 'new@example.com', password: 'correct horse' };
    const { body } = await visitors.post('auth/signup', signUp);
    expect(await titles(ada.pass)).toEqual(['a']);
    expect(await titles(body.session.token)).toEqual([]);
  });

  it('the user whose email is in a field, only once it is verified', async () => {
    await setRules({ read: { type: 'field_match', field: 'mail', property: 'email' } });
    await add({ title: 'a', mail: 'ada@example.com' }, { title: 's', mail: 'somebody@example.com' });
    const signUp = { email: 'somebody@example.com', password: 'correct horse' };
    const { body } = await visitors.post('auth/signup', signUp);
    expect(body.user).toMatchObject({ email: 'somebody@example.com', emailVerified: false });
    expect(await titles(ada.pass)).toEqual(['a']);
    expect(await titles(body.session.token)).toEqual([]);
  });

  it('users with a role, until it is taken or deleted', async () => {
    const { projectId } = visitors;
    const { id: roleId } = await done(app, 'site/createProjectRole', { projectId, name: 'Editors' });
    await setRules({ read: { type: 'has_role', roleId } });
    await add({ title: 'a' });
    expect(await all()).toEqual([[], [], [], []]);
    await done(app, 'site/assignRoleToAppUser', { userId: ada.id, roleId });
    expect(await all()).toEqual([['a'], [], [], []]);
    await done(app, 'site/deleteProjectRole', { roleId });
    expect(await titles(ada.pass)).toEqual([]);
  });

  it('users with an entitlement, until it is revoked', async () => {
    const held = { projectId: visitors.projectId, appUserId: ada.id, key: 'pro' };
    await setRules({ read: { type: 'has_entitlement', key: 'pro' } });
    await add({ title: 'a' });
    expect(await all()).toEqual([[], [], [], []]);
    await done(app, 'site/grantEntitlement', held);
    expect(await all()).toEqual([['a'], [], [], []]);
    await done(app, 'site/revokeEntitlement', held);
    expect(await titles(ada.pass)).toEqual([]);
  });

  it('users whom a policy admits, with its present state', async () => {
    const { projectId } = visitors;
    const policy = await done(app, 'site/createAccessPolicy', { projectId, name: 'Readers', condition: signedIn });
    await setRules({ read: { policy: policy.id } });
    await add({ title: 'r', team: 'red' });
    expect(await all()).toEqual([['r'], ['r'], [], []]);
    const condition = { all: [signedIn, { type: 'field_match', field: 'team', property: 'team' }] };
    await done(app, 'site/updateAccessPolicy', { policyId: policy.id, condition });
    expect(await all()).toEqual([['r'], [], [], []]);
    await done(app, 'site/deleteAccessPolicy', { policyId: policy.id });
    expect(await all()).toEqual([[], [], [], []]);
  });

  it('no banned user', async () => {
    await setRules({ read: signedIn });
    await add({ title: 'a' });
    const bad = await logIn('bad@example.com');
    expect(await titles(bad.pass)).toEqual(['a']);
    await done(app, 'site/updateAppUser', { projectId: visitors.projectId, userId: bad.id, isBanned: true });
    expect(await titles(bad.pass)).toEqual([]);
  });
});

describe('rows that may not be read are not revealed', () => {
  const own = { type: 'creator' };
  let theirs: string;
  beforeEach(async () => {
    await setRules({ read: own, create: signedIn, update: own, delete: own });
    theirs = (await as(eve.pass)('createRow', [{ title: 'hidden', team: 'blue' }])).id;
    await as(ada.pass)('createRow', [{ title: 'mine', team: 'red' }]);
  });

  it('by counts, searches, reports, totals and whole reads', async () => {
    const hers = as(ada.pass);
    expect(await hers('getRowCount', [])).toBe(1);
    expect(await hers('getRowCount', [{ title: 'hidden' }])).toBe(0);
    expect((await hers('searchRows', ['hid'])).total).toBe(0);
    expect((await hers('getRows', [{ limit: 1 }])).total).toBe(1);
    expect(await hers('readAll', [])).toHaveLength(1);
    const spec = { groupBy: ['team'], measures: [{ op: 'count' }] };
    expect((await hers('report', [spec])).groups).toEqual([{ team: 'red', count: 1 }]);
  });

  it('by single reads and writes: they look like rows that never existed', async () => {
    const hers = as(ada.pass);
    for (const id of [theirs, 'row_00000000000000000000000000']) {
      expect(await hers('getRow', [id])).toEqual([404, 'row-not-found']);
      expect(await hers('updateRow', [id, { title: 'x' }])).toEqual([404, 'row-not-found']);
      expect(await hers('deleteRow', [id])).toEqual([404, 'row-not-found']);
      expect(await hers('bulkDeleteRows', [[id]])).toEqual([404, 'row-not-found']);
    }
  });

  it('by upserts: each makes a row of its own, once', async () => {
    const hers = as(ada.pass);
    const made = await hers('upsertRow', [{ title: 'hidden' }, { team: 'red' }]);
    expect(made).toMatchObject({ title: 'hidden', team: 'red', createdBy: ada.id });
    expect(made.id).not.toBe(theirs);
    expect((await hers('upsertRow', [{ title: 'hidden' }, { team: 'green' }])).id).toBe(made.id);
    const back = await as(eve.pass)('upsertRow', [{ title: 'hidden' }, { team: 'navy' }]);
    expect([back.id, back.team]).toEqual([theirs, 'navy']);
    expect(await as()('upsertRow', [{ title: 'hidden' }, {}])).toEqual([403, 'row-not-allowed']);
    expect(await as()('upsertRow', [{ title: 'nowhere' }, {}])).toEqual([403, 'row-not-allowed']);
  });

  it('by simultaneous upserts: one row, beside those of others', async () => {
    await as(eve.pass)('upsertRow', [{ title: 'shared' }, {}]);
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, n) => as(ada.pass)('upsertRow', [{ title: 'shared' }, { team: `t${n}` }])),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await as(ada.pass)('getRowCount', [{ title: 'shared' }])).toBe(1);
    expect((await done(app, 'bases/listRows', { tableId, filter: { title: 'shared' } })).total).toBe(2);
  });

  it('by several of them: an upsert finds none', async () => {
    await add({ title: 'twice' }, { title: 'twice' });
    expect(await as(ada.pass)('upsertRow', [{ title: 'twice' }, {}])).toMatchObject({ createdBy: ada.id });
  });

  it('by hidden fields, in filters, sorts and reports', async () => {
    await setRules({ read: everybody });
    await add({ title: 'known', secret: 7 });
    const accessRules = { read: { type: 'field_match', field: 'team', property: 'team' } };
    await done(app, 'bases/updateField', { tableId, fieldId: fields['secret'], accessRules });
    const hers = as(ada.pass);
    expect(await hers('getRowCount', [{ secret: 7 }])).toBe(0);
    expect(await hers('getRows', [{ sort: [{ field: 'secret', dir: 'asc' }] }])).toEqual([403, 'field-not-readable']);
    const { rows, hiddenFields } = await hers('getRows', [{ filter: { title: 'known' } }]);
    expect([Object.keys(rows[0]).includes('secret'), hiddenFields]).toEqual([false, ['secret']]);
  });
});

describe('data functions and gates', () => {
  const data = async (definition: object, runAs: 'member' | 'service' = 'member') => {
    const name = `d ${crypto.randomUUID()}`;
    const made = { projectId: visitors.projectId, name, definition, accessRules: { execute: everybody } };
    const { status, body } = await app.call('site/createDataFunction', { ...made, runAs });
    if (status === 202)
      await done(app, 'approvals/approvePendingChange', { id: body.pendingChange.id, hash: body.pendingChange.hash });
    return async (pass?: string, params: object = {}) => {
      const reply = await visitors.post(`functions/${encodeURIComponent(name)}`, params, pass);
      return reply.status === 200 ? reply.body.data : [reply.status, reply.body.code];
    };
  };
  const own = { type: 'creator' };
  beforeEach(async () => {
    await setRules({ read: own, create: signedIn, update: own, delete: own });
    await as(eve.pass)('createRow', [{ title: 'hidden', team: 'blue' }]);
    await as(ada.pass)('createRow', [{ title: 'mine', team: 'red' }]);
  });

  it('run as the visitor: lists, counts, single rows, changes', async () => {
    const list = await data({ kind: 'list', table: 'Notes', fields: ['title'] });
    const count = await data({ kind: 'count', table: 'Notes' });
    const get = await data({ kind: 'get', table: 'Notes', filter: { title: 'hidden' } });
    const update = await data({ kind: 'update', table: 'Notes', filter: { title: 'hidden' }, values: { team: 'x' } });
    const remove = await data({ kind: 'delete', table: 'Notes', filter: { title: 'hidden' } });
    expect(await list(ada.pass)).toMatchObject({ rows: [{ title: 'mine' }], total: 1 });
    expect([await count(ada.pass), await count(eve.pass), await count()]).toEqual([
      { count: 1 },
      { count: 1 },
      { count: 0 },
    ]);
    expect([await get(ada.pass), (await get(eve.pass)).title]).toEqual([null, 'hidden']);
    expect([await update(ada.pass), await update(eve.pass)]).toEqual([{ updated: 0 }, { updated: 1 }]);
    expect([await remove(ada.pass), await remove(), await remove(eve.pass)]).toEqual([
      { deleted: 0 },
      { deleted: 0 },
      { deleted: 1 },
    ]);
  });

  it("create rows of the visitor's own, or report that they may not", async () => {
    const create = await data({
      kind: 'create',
      table: 'Notes',
      values: { title: { $param: 'title' } },
      params: { title: { type: 'string' } },
    });
    expect(await create(ada.pass, { title: 'new' })).toMatchObject({ title: 'new', createdBy: ada.id });
    expect(await create(undefined, { title: 'new' })).toEqual([403, 'row-not-allowed']);
  });

  it('with Full data access see every row', async () => {
    const count = await data({ kind: 'count', table: 'Notes' }, 'service');
    expect([await count(ada.pass), await count()]).toEqual([{ count: 2 }, { count: 2 }]);
  });

  it('give a gate function the user, and it reads rows as the owner', async () => {
    const site = new SiteFunctionsScene(app, visitors.projectId);
    const code = `
      const { total } = await ctx.tables.getRows('Notes');
      return total === 2 && params.user?.customFields.team === 'red' && params.resource.name.startsWith('gated')`;
    const gate = await site.createGate(`gate ${crypto.randomUUID()}`, code);
    const name = `gated ${crypto.randomUUID()}`;
    await site.create(name, 'return ctx.user.id', {
      accessRules: { execute: { type: 'function', functionId: gate.id } },
    });
    const call = async (pass?: string) => {
      const { status, body } = await visitors.post(`functions/${encodeURIComponent(name)}`, {}, pass);
      return status === 200 ? body.data : [status, body.code];
    };
    const refused = [403, 'execute-refused'];
    expect([await call(ada.pass), await call(eve.pass), await call(guest), await call()]).toEqual([
      ada.id,
      refused,
      refused,
      refused,
    ]);
  });
});
