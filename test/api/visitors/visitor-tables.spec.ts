import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteClient } from '../../support/sites/site-client.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';
import { type SiteVisitors, siteVisitors } from '../../support/sites/site-visitors.js';

const everybody = { type: 'public', scope: 'everywhere' };
const signedIn = { type: 'authenticated' };
const own = { type: 'creator' };

let app: TestApp;
let visitors: SiteVisitors;
let baseId: string;
let tableId: string;
let fieldIds: Record<string, string>;
let ada: { readonly id: string; readonly pass: string };
let eve: { readonly id: string; readonly pass: string };
beforeAll(async () => {
  app = await sharedApp();
  await done(app, 'workspace/updateSettings', { versions: false });
  visitors = await siteVisitors(app, { authCustomFields: [{ name: 'team', type: 'text' }] });
  const { projectId } = visitors;
  const site = new SiteFunctionsScene(app, projectId);
  const code = 'return ctx.tables[params.member](...params.args)';
  await site.create('rows', code, { accessRules: { execute: everybody } });
  ada = await logIn('ada@example.com');
  eve = await logIn('eve@example.com');
  baseId = (await done(app, 'site/getProject', { id: projectId })).linkedBase.id;
  const fields = [
    { name: 'title', type: 'text', required: true },
    { name: 'amount', type: 'number' },
    { name: 'secret', type: 'text' },
  ];
  const table = await done(app, 'bases/createTable', { baseId, name: 'Notes', fields });
  tableId = table.id;
  fieldIds = Object.fromEntries(table.fields.map(({ name, id }: { name: string; id: string }) => [name, id]));
});
afterAll(() => app?.close());
beforeEach(async () => {
  const { rows } = await done(app, 'bases/listRows', { tableId });
  await done(app, 'bases/deleteRows', { tableId, ids: rows.map(({ id }: { id: string }) => id) });
  await rules({ read: own, create: signedIn, update: own, delete: own });
  await setFieldRules({});
});

async function logIn(email: string) {
  const { id } = await visitors.user(email);
  return { id, pass: await visitors.logIn(email) };
}
const rules = (accessRules: object) => done(app, 'bases/setTableAccessRules', { tableId, accessRules });
const setFieldRules = (accessRules: object) =>
  done(app, 'bases/updateField', { tableId, fieldId: fieldIds['secret'], accessRules });
const add = async (...rows: readonly object[]) => (await done(app, 'bases/createRows', { tableId, rows })).rows;

/** Calls a member of `tables`. Returns the answer, or status and code of the refusal. */
const as =
  (pass?: string) =>
  async (member: string, input: object = {}) => {
    const { status, body } = await visitors.post(`tables/${member}`, input, pass);
    return status === 200 ? body : [status, body.code];
  };
const notes = (more: object = {}) => ({ table: 'Notes', ...more });

describe('tables of a site, called by its visitors', () => {
  it('answer like ctx.tables for the same user, member by member', async () => {
    const hers = as(ada.pass);
    const first = await hers('createRow', notes({ values: { title: 'a', amount: 1 } }));
    const second = await hers('upsertRow', notes({ match: { title: 'b' }, values: { amount: 2 } }));
    expect([first, second]).toMatchObject([
      { title: 'a', amount: 1, secret: null, createdBy: ada.id },
      { title: 'b', amount: 2, createdBy: ada.id },
    ]);
    const inCode = async (member: string, ...args: readonly unknown[]) =>
      (await visitors.post('functions/rows', { member, args }, ada.pass)).body.data;
    const sort = [{ field: 'amount', dir: 'desc' }];
    const filter = { amount: { gte: 2 } };
    const spec = { measures: [{ op: 'sum', field: 'amount' }] };
    const same: readonly (readonly [string, object, readonly unknown[]])[] = [
      ['getRows', notes({ sort, limit: 1 }), ['Notes', { sort, limit: 1 }]],
      ['getRows', { table: tableId }, ['Notes']],
      ['getRow', notes({ id: first.id }), ['Notes', first.id]],
      ['searchRows', notes({ text: 'B' }), ['Notes', 'B']],
      ['filterRows', notes({ filter, sort }), ['Notes', filter, { sort }]],
      ['getRowCount', notes(), ['Notes']],
      ['getRowCount', notes({ filter }), ['Notes', filter]],
      ['report', notes({ spec }), ['Notes', spec]],
      ['listTables', {}, []],
      ['getTableSchema', notes(), ['Notes']],
    ];
    for (const [member, input, args] of same) {
      expect([member, await hers(member, input)]).toEqual([member, await inCode(member, ...args)]);
    }
    expect(await hers('getRowCount', notes())).toBe(2);
    expect(await hers('readAll', notes({ filter }))).toEqual({ rows: [second], hiddenFields: [] });
    const { rows, nextCursor } = await hers('getRows', notes({ sort, limit: 1 }));
    const page = await hers('getRows', notes({ sort, limit: 1, cursor: nextCursor }));
    expect([rows[0].id, page.rows[0].id]).toEqual([second.id, first.id]);
    expect(await hers('updateRow', notes({ id: first.id, values: { amount: 5 } }))).toMatchObject({ amount: 5 });
    const changes = [first, second].map(({ id }) => ({ id, values: { amount: 9 } }));
    const { rows: both } = await hers('bulkUpdateRows', notes({ rows: changes }));
    expect(both.map(({ amount }: { amount: number }) => amount)).toEqual([9, 9]);
    expect(await hers('deleteRow', notes({ id: first.id }))).toEqual({ success: true });
    expect(await hers('bulkDeleteRows', notes({ ids: [second.id] }))).toEqual({ deleted: 1 });
    expect(await hers('getRowCount', notes())).toBe(0);
  });

  it("answer on the site's own host, where no column of theirs can begin a session", async () => {
    const fields = [{ name: 'session', type: 'json' }];
    const { id } = await done(app, 'bases/createTable', { baseId, name: 'Sessions', fields });
    await done(app, 'bases/setTableAccessRules', { tableId: id, accessRules: { read: everybody, create: everybody } });
    const { subdomain } = await done(app, 'site/getProject', { id: visitors.projectId });
    const host = new SiteClient(app, `${subdomain}.localhost:3000`);
    const values = { session: { token: 'x'.repeat(32), expiresAt: '2099-01-01T00:00:00.000Z' } };
    const { status, body, headers } = await host.post('/api/tables/createRow', { table: 'Sessions', values });
    expect([status, body.session, headers['set-cookie']]).toEqual([200, values.session, undefined]);
    await done(app, 'bases/deleteTable', { id });
  });

  it('name the user as the cause of changes', async () => {
    const { id } = await as(ada.pass)('createRow', notes({ values: { title: 'hers' } }));
    const { events } = await done(app, 'audit/getHistory', { kind: 'row', id });
    expect(events[0]).toMatchObject({ actor: { kind: 'user', id: ada.id } });
  });

  it('show a user nothing of the rows that only another may see', async () => {
    const { id } = await as(eve.pass)('createRow', notes({ values: { title: 'theirs' } }));
    const hers = as(ada.pass);
    expect(await hers('getRows', notes())).toMatchObject({ rows: [], total: 0 });
    expect(await hers('searchRows', notes({ text: 'their' }))).toMatchObject({ rows: [], total: 0 });
    expect(await hers('getRowCount', notes())).toBe(0);
    expect(await hers('readAll', notes())).toMatchObject({ rows: [] });
    for (const [member, input] of [
      ['getRow', { id }],
      ['updateRow', { id, values: { title: 'x' } }],
      ['deleteRow', { id }],
      ['bulkUpdateRows', { rows: [{ id, values: { title: 'x' } }] }],
      ['bulkDeleteRows', { ids: [id] }],
    ] as const) {
      expect([member, await hers(member, notes(input))]).toEqual([member, [404, 'row-not-found']]);
    }
    expect(await as(eve.pass)('getRow', notes({ id }))).toMatchObject({ title: 'theirs' });
  });

  it('are closed without rules, even to users, but open to members', async () => {
    await rules({});
    await add({ title: 'kept' });
    for (const caller of [as(ada.pass), as()]) {
      expect(await caller('getRows', notes())).toMatchObject({ rows: [], total: 0 });
      expect(await caller('createRow', notes({ values: { title: 'x' } }))).toEqual([403, 'row-not-allowed']);
      expect(await caller('listTables')).toEqual([]);
      expect(await caller('getTableSchema', notes())).toEqual([404, 'table-not-found']);
    }
    expect(await as()('getRows', { table: 'Nowhere' })).toEqual([404, 'table-not-found']);
  });

  it('are open to anonymous visitors if a rule is public', async () => {
    await rules({ read: everybody, create: everybody });
    const made = await as()('createRow', notes({ values: { title: 'a guest’s' } }));
    expect(made).toMatchObject({ title: 'a guest’s', createdBy: null });
    expect(await as()('getRows', notes())).toMatchObject({ rows: [made], total: 1 });
    expect(await as()('updateRow', notes({ id: made.id, values: { title: 'x' } }))).toEqual([403, 'row-not-allowed']);
    expect(await as()('deleteRow', notes({ id: made.id }))).toEqual([403, 'row-not-allowed']);
    await rules({ read: signedIn });
    expect(await as()('getRows', notes())).toMatchObject({ rows: [], total: 0 });
  });

  it('apply a ban from the next call on', async () => {
    await rules({ read: signedIn });
    await add({ title: 'a' });
    const bad = await logIn('bad@example.com');
    expect(await as(bad.pass)('getRowCount', notes())).toBe(1);
    await done(app, 'site/updateAppUser', { projectId: visitors.projectId, userId: bad.id, isBanned: true });
    expect(await as(bad.pass)('getRowCount', notes())).toBe(0);
  });

  it('leave a hidden field out of rows, orders, reports, schemas and errors', async () => {
    await rules({ read: everybody, create: signedIn, update: signedIn });
    await setFieldRules({
      read: { type: 'has_entitlement', key: 'pro' },
      write: { type: 'has_entitlement', key: 'pro' },
    });
    const [{ id }] = await add({ title: 'a', secret: 'hush' });
    const hers = as(ada.pass);
    const { rows, hiddenFields } = await hers('getRows', notes());
    expect([Object.keys(rows[0]), hiddenFields]).toEqual([
      ['id', 'createdAt', 'updatedAt', 'createdBy', 'title', 'amount'],
      ['secret'],
    ]);
    expect(await hers('getRowCount', notes({ filter: { secret: 'hush' } }))).toBe(0);
    const sort = [{ field: 'secret', dir: 'asc' }];
    expect(await hers('getRows', notes({ sort }))).toEqual([403, 'field-not-readable']);
    const spec = { groupBy: ['secret'], measures: [{ op: 'count' }] };
    expect(await hers('report', notes({ spec }))).toEqual([403, 'field-not-readable']);
    const { fields } = await hers('getTableSchema', notes());
    expect(fields.map(({ name }: { name: string }) => name)).toEqual(['title', 'amount']);
    expect(JSON.stringify(fields)).not.toContain('accessRules');
    const values = { secret: 'mine' };
    expect(await hers('updateRow', notes({ id, values }))).toEqual([403, 'field-not-writable']);
    const wrong = { secret: { of: 'another type' } };
    for (const [operation, body] of [
      ['createRow', { values: wrong }],
      ['updateRow', { id, values: wrong }],
      ['upsertRow', { match: { title: 'a' }, values: wrong }],
      ['upsertRow', { match: wrong, values: { title: 'a' } }],
    ] as const) {
      expect(await hers(operation, notes(body))).toEqual([403, 'field-not-writable']);
    }
    const { body } = await visitors.post('tables/getRows', notes({ filter: { nope: 1 } }), ada.pass);
    expect(body).toMatchObject({ code: 'unknown-field', fields: ['title', 'amount'] });
  });

  it('reveal no fields to visitors who may not write', async () => {
    await rules({ read: own, create: { type: 'has_entitlement', key: 'pro' } });
    for (const values of [{}, { amount: 'no number' }, { nope: 1 }]) {
      expect(await as(ada.pass)('createRow', notes({ values }))).toEqual([403, 'row-not-allowed']);
    }
    await rules({ read: everybody });
    const [{ id }] = await add({ title: 'a' });
    for (const values of [{}, { amount: 'no number' }, { nope: 1 }]) {
      expect(await as(ada.pass)('updateRow', notes({ id, values }))).toEqual([403, 'row-not-allowed']);
      expect(await as(ada.pass)('updateRow', notes({ id: 'row_x', values }))).toEqual([404, 'row-not-found']);
    }
    await rules({ read: own });
    const { body } = await visitors.post('tables/getRows', notes({ filter: { nope: 1 } }));
    expect(body).toMatchObject({ code: 'unknown-field', fields: [] });
  });

  it('follow relations from row to row', async () => {
    const projects = await done(app, 'bases/createTable', {
      baseId,
      name: 'Projects',
      fields: [{ name: 'lead', type: 'user' }],
    });
    const tasks = await done(app, 'bases/createTable', {
      baseId,
      name: 'Tasks',
      fields: [{ name: 'project', type: 'relation', targetTableId: projects.id }],
    });
    const read = { type: 'relationship', path: 'project.lead' };
    await done(app, 'bases/setTableAccessRules', { tableId: tasks.id, accessRules: { read } });
    for (const lead of [ada.id, eve.id]) {
      const project = await done(app, 'bases/createRow', { tableId: projects.id, values: { lead } });
      await done(app, 'bases/createRow', { tableId: tasks.id, values: { project: project.id } });
    }
    const counts = [as(ada.pass), as(eve.pass), as()].map((caller) => caller('getRowCount', { table: 'Tasks' }));
    expect(await Promise.all(counts)).toEqual([1, 1, 0]);
    const names = (await as(ada.pass)('listTables')).map(({ name }: { name: string }) => name);
    expect(names).toEqual(['Notes', 'Tasks']);
  });
});

describe('tables refuse', () => {
  const bad: readonly (readonly [string, object])[] = [
    ['getRows', {}],
    ['getRows', { table: 7 }],
    ['getRows', { table: '' }],
    ['getRows', { table: ['Notes'] }],
    ['getRows', notes({ where: {} })],
    ['getRows', notes({ limit: 1_001 })],
    ['getRows', notes({ sort: 'title' })],
    ['getRows', notes({ sort: [['title']] })],
    ['getRows', notes({ filter: [] })],
    ['getRows', notes({ filter: null })],
    ['getRows', notes({ filter: { nope: 1 } })],
    ['getRows', notes({ filter: { title: { like: 'x' } } })],
    ['getRows', notes({ cursor: 'made up' })],
    ['getRow', notes()],
    ['getRow', notes({ id: {} })],
    ['searchRows', notes({ text: '' })],
    ['searchRows', notes({ text: 'x', sort: [] })],
    ['filterRows', notes()],
    ['readAll', notes({ maxRows: 0 })],
    ['readAll', notes({ next: 'x', read: -1 })],
    ['report', notes({ spec: {} })],
    ['report', notes({ spec: [] })],
    ['createRow', notes({ values: { title: 'x', nope: 1 } })],
    ['createRow', notes({ values: {} })],
    ['createRow', notes({ values: { title: 'x', amount: 'much' } })],
    ['createRow', notes({ values: { title: 'x', createdBy: 'user_x' } })],
    ['createRow', notes({ values: [] })],
    ['upsertRow', notes({ match: {}, values: {} })],
    ['bulkUpdateRows', notes({ rows: [{ id: 'x' }] })],
    ['bulkUpdateRows', notes({ rows: [7] })],
    ['bulkDeleteRows', notes({ ids: [7] })],
    ['bulkDeleteRows', notes({ ids: Array.from({ length: 1_001 }, (_, at) => `${at}`) })],
    ['listTables', { table: 'Notes' }],
  ];
  it('input of every wrong kind with 400 and an explanation, and change nothing', async () => {
    await rules({ read: signedIn, create: signedIn, update: signedIn, delete: signedIn });
    for (const [member, input] of bad) {
      const { status, body } = await visitors.post(`tables/${member}`, input, ada.pass);
      expect([member, input, status, typeof body.detail]).toEqual([member, input, 400, 'string']);
    }
    expect(await as(ada.pass)('getRowCount', notes())).toBe(0);
  });

  it('unknown members, other methods and other media types', async () => {
    expect((await visitors.post('tables/eraseRow', notes({ id: 'x' }), ada.pass)).status).toBe(404);
    expect((await visitors.get('tables/getRows', ada.pass)).status).toBe(405);
    const form = { 'content-type': 'text/plain' };
    expect((await visitors.post('tables/getRows', notes(), ada.pass, form)).status).toBe(415);
  });

  it('the tables of another site, by name and by id', async () => {
    const other = await siteVisitors(app);
    const { linkedBase } = await done(app, 'site/getProject', { id: other.projectId });
    const made = await done(app, 'bases/createTable', { baseId: linkedBase.id, name: 'Elsewhere', fields: [] });
    await done(app, 'bases/setTableAccessRules', { tableId: made.id, accessRules: { read: everybody } });
    expect(await as()('getRows', { table: 'Elsewhere' })).toEqual([404, 'table-not-found']);
    expect(await as()('getRows', { table: made.id })).toEqual([404, 'table-not-found']);
    expect((await other.post('tables/getRows', { table: made.id })).body).toMatchObject({ total: 0 });
  });

  it('answers of more than 5 MB', async () => {
    await rules({ read: everybody });
    await add(...Array.from({ length: 60 }, (_, at) => ({ title: `${at}`, secret: 'x'.repeat(100_000) })));
    expect(await as()('getRows', notes())).toEqual([413, 'rows-answer-too-large']);
    expect(await as()('readAll', notes())).toEqual([413, 'rows-answer-too-large']);
    expect((await as()('readAll', notes({ maxRows: 3 }))).rows).toHaveLength(3);
  });
});
