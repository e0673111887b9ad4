// Engines: one process, and several.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { OperatorPlans } from '../../../src/areas/workspace/workspace/operator-plans.api.js';
import type { TestApp } from '../../support/app.js';
import { done, keyOf } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let projectId: string;
let baseId: string;
let tableId: string;
beforeAll(async () => {
  app = await sharedApp();
  await done(app, 'workspace/updateSettings', { versions: false });
});
afterAll(() => app.close());

const fields = [
  { name: 'title', type: 'text' },
  { name: 'amount', type: 'number', indexed: true },
  { name: 'team', type: 'text' },
];
beforeEach(async () => {
  const project = await done(app, 'site/createProject', { name: `Shop ${randomUUID()}` });
  projectId = project.id;
  baseId = project.linkedBaseId;
  tableId = (await done(app, 'bases/createTable', { baseId, name: 'orders', fields })).id;
});

const create = (code: string, more: object = {}) =>
  done(app, 'site/createBackendFunction', { projectId, name: `f ${randomUUID()}`, code, ...more });
const invoke = ({ name }: { readonly name: string }, key?: string) =>
  app.call('site/invokeBackendFunction', { projectId, functionName: name }, key);
const result = async (code: string) => {
  const { status, body } = await invoke(await create(code));
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.data;
};
const refusal = (call: string, before = '') =>
  result(
    `${before} try { return await ${call} } catch ({ status, code, message, fields }) { return { status, code, message, fields } }`,
  );
const add = (...values: readonly object[]) => done(app, 'bases/createRows', { tableId, rows: values });
const stored = async () => (await done(app, 'bases/listRows', { tableId })).rows;

describe('ctx.tables of a site function', () => {
  it('reads the rows of the site’s one base, by the name or id of the table (CC-01)', async () => {
    const [first] = (await add({ title: 'a', amount: 1 }, { title: 'b', amount: 2 })).rows;
    expect(await result(`return ctx.tables.getRows('orders', { filter: { amount: { gte: 2 } } })`)).toEqual({
      rows: [expect.objectContaining({ title: 'b', amount: 2, team: null, createdBy: null })],
      total: 1,
      hiddenFields: [],
      nextCursor: null,
    });
    expect(await result(`return ctx.tables.getRow('${tableId}', '${first.id}')`)).toEqual(first);
    expect(await result(`return ctx.tables.searchRows('orders', 'A', { limit: 5 })`)).toMatchObject({ total: 1 });
    expect(await result(`return ctx.tables.filterRows('orders', { title: 'b' })`)).toMatchObject({ total: 1 });
    expect(await result(`return ctx.tables.report('orders', { measures: [{ op: 'sum', field: 'amount' }] })`)).toEqual({
      groups: [{ sum_amount: 3 }],
    });
  });

  it('continues from the previous page with nextCursor', async () => {
    await add({ amount: 1 }, { amount: 2 }, { amount: 3 });
    const code = `
      const options = { sort: [{ field: 'amount', dir: 'desc' }], limit: 2 };
      const first = await ctx.tables.getRows('orders', options);
      const second = await ctx.tables.getRows('orders', { ...options, cursor: first.nextCursor });
      return [first, second].map(({ rows, total }) => [rows.map(({ amount }) => amount), total])`;
    expect(await result(code)).toEqual([
      [[3, 2], 3],
      [[1], 3],
    ]);
  });

  it('counts rows, also with a filter (CC-02)', async () => {
    await add({ amount: 1 }, { amount: 2 });
    const code = `return [await ctx.tables.getRowCount('orders'), await ctx.tables.getRowCount('orders', { amount: 2 })]`;
    expect(await result(code)).toEqual([2, 1]);
  });

  it('selects by the times of rows (CC-05)', async () => {
    await add({ amount: 1 });
    const count = (when: string) => `await ctx.tables.getRowCount('orders', { createdAt: { ${when}: '2020-01-01' } })`;
    expect(await result(`return [${count('gt')}, ${count('lt')}]`)).toEqual([1, 0]);
  });

  it('writes rows, one and many, as the function (CC-01)', async () => {
    const code = `
      const { id } = await ctx.tables.createRow('orders', { title: 'new', amount: 1 });
      await ctx.tables.updateRow('orders', id, { amount: 2 });
      const same = await ctx.tables.upsertRow('orders', { title: 'new' }, { team: 'red' });
      const other = await ctx.tables.upsertRow('orders', { title: 'other' }, { team: 'red' });
      const both = await ctx.tables.bulkUpdateRows('orders', [id, other.id].map((id) => ({ id, values: { amount: 9 } })));
      const third = await ctx.tables.createRow('orders', {});
      const deleted = await ctx.tables.deleteRow('orders', third.id);
      return { id, same: same.id, both: both.rows.map(({ amount }) => amount), deleted,
        gone: await ctx.tables.bulkDeleteRows('orders', [other.id]) }`;
    const fn = await create(code);
    const { data } = (await invoke(fn)).body;
    expect(data).toEqual({
      id: data.same,
      same: data.id,
      both: [9, 9],
      deleted: { success: true },
      gone: { deleted: 1 },
    });
    expect(await stored()).toEqual([expect.objectContaining({ id: data.id, title: 'new', team: 'red', amount: 9 })]);
    const { events } = await done(app, 'audit/getHistory', { kind: 'row', id: data.id });
    expect(events[0]).toMatchObject({
      actor: { kind: 'function', id: fn.id },
      causationId: expect.stringMatching(/^run_/),
    });
  });

  it('describes the structure: the tables, and the fields of one (CC-01, CC-09)', async () => {
    expect(await result(`return ctx.tables.listTables()`)).toEqual([
      { id: tableId, name: 'orders', description: null },
    ]);
    expect(await result(`return ctx.tables.getTableSchema('orders')`)).toMatchObject({
      id: tableId,
      name: 'orders',
      fields: [{ name: 'title', type: 'text' }, { name: 'amount', indexed: true }, { name: 'team' }],
    });
  });

  it.each([
    ["createRow('orders', { Title: 'x', title: 'y' })"],
    ["updateRow('orders', id, { amount: 1, __proto: 1 })"],
    ["upsertRow('orders', { nope: 1 }, { amount: 1 })"],
    ["bulkUpdateRows('orders', [{ id, values: { amount: 1 } }, { id, values: { AMOUNT: 1 } }])"],
  ])('refuses an unknown field, writes nothing and names the fields: %s (CC-08, CC-10, XE-01)', async (call) => {
    const [row] = (await add({ title: 'kept' })).rows;
    const refused = await refusal(`ctx.tables.${call}`, `const id = '${row.id}';`);
    expect(refused).toMatchObject({ status: 400, code: 'unknown-field', fields: ['title', 'amount', 'team'] });
    expect(await stored()).toEqual([row]);
  });

  it.each([
    ['getRows()', 'the table'],
    ['getRows(7)', 'the table'],
    ["getRows('orders', 7)", 'the last argument must be an object'],
    ["getRows('orders', { where: {} })", 'no option "where"'],
    ["getRows('orders', { limit: 1001 })", 'limit'],
    ["getRows('orders', { limit: 0.5 })", 'limit'],
    ["getRows('orders', { sort: 'title' })", 'sort'],
    ["getRows('orders', { filter: [] })", 'filter'],
    ["readAll('orders', { maxRows: 0 })", 'maxRows'],
    ["readAll('orders', { limit: 5 })", 'no option "limit"'],
    ["getRow('orders')", 'the id'],
    ["createRow('orders', null)", 'an object'],
    ["bulkUpdateRows('orders', [{ id: 'x' }])", 'a change must be { id, values }'],
    ["bulkDeleteRows('orders', [1])", 'an id must be a string'],
    ["bulkDeleteRows('orders', Array(1001).fill('x'))", 'at most 1,000'],
  ])('refuses the call %s', async (call, what) => {
    const refused = await refusal(`ctx.tables.${call}`);
    expect(refused).toMatchObject({ status: 400, code: 'invalid-input', message: expect.stringContaining(what) });
  });

  it('reaches no other base, and reports what is unknown', async () => {
    const other = await done(app, 'bases/createBase', { name: 'Other' });
    const table = await done(app, 'bases/createTable', { baseId: other.id, name: 'secret', fields });
    expect(await refusal(`ctx.tables.getRows('${table.id}')`)).toMatchObject({ status: 404, code: 'table-not-found' });
    expect(await refusal(`ctx.tables.getRow('orders', 'row_none')`)).toMatchObject({
      status: 404,
      code: 'row-not-found',
    });
    expect(await result(`return [typeof ctx.tables.query, typeof ctx.sql, typeof ctx.tables.execute]`)).toEqual(
      Array(3).fill('undefined'),
    );
  });

  it('deletes nothing in a run started by a key that never deletes', async () => {
    const [row] = (await add({ title: 'kept' })).rows;
    const key = await keyOf(app, { kind: 'automation', neverDeletes: true });
    const fn = await create(`return ctx.tables.deleteRow('orders', '${row.id}').catch(({ code }) => code)`, {
      accessRules: { execute: null, runBy: { pages: [], functions: [], agents: [] } },
    });
    expect((await invoke(fn, key)).body.data).toBe('key-never-deletes');
    expect(await stored()).toHaveLength(1);
  });
});

describe('readAll (CC-03, CC-22, SL-07)', () => {
  const addMany = async (count: number) => {
    for (let from = 0; from < count; from += 1_000) {
      const rows = Array.from({ length: Math.min(1_000, count - from) }, (_, n) => ({ amount: from + n }));
      await done(app, 'bases/createRows', { tableId, rows });
    }
  };

  it('returns every matching row in pages of 1,000, each of which is one call', async () => {
    await addMany(2_001);
    const code = `
      const all = await ctx.tables.readAll('orders', { sort: [{ field: 'amount', dir: 'asc' }] });
      const some = await ctx.tables.readAll('orders', { filter: { amount: { gte: 2_000 } } });
      const { used } = ctx.limits.databaseCalls;
      const first = await ctx.tables.readAll('orders', { maxRows: 1_500 });
      return [all.length, all[2_000].amount, all.hiddenFields, some.length, used, first.length, ctx.limits.databaseCalls.used]`;
    expect(await result(code)).toEqual([2_001, 2_000, [], 1, 4, 1_500, 6]);
  });
});

describe('the number of calls (CC-21, CC-22, SL-06)', () => {
  const plans = (plan: 'free' | 'starter' | 'pro') =>
    app.app.get(OperatorPlans, { strict: false }).set(projectWorkspace, plan);
  let projectWorkspace: string;
  beforeAll(async () => {
    projectWorkspace = (await done(app, 'workspace/getWorkspace')).id;
  });
  afterEach(() => plans('pro'));

  test.each([
    ['free', 20],
    ['starter', 50],
    ['pro', 100],
  ] as const)('on the plan %s is %d, and one more is refused', async (plan, most) => {
    const fn = await create(`
      let made = 0;
      try { for (;;) { await ctx.tables.getRowCount('orders'); made += 1 } } catch ({ status, code, message }) {
        return { made, status, code, message, ...ctx.limits.databaseCalls };
      }`);
    await plans(plan);
    const { data } = (await invoke(fn)).body;
    expect(data).toMatchObject({ made: most, status: 429, code: 'call-limit', max: most });
    expect(data.message).toContain(String(most));
  });
});

describe('ctx.sites of account functions', () => {
  const run = async (code: string, bases: readonly object[]) => {
    const grants = { bases };
    const fn = await done(app, 'automations/createFunction', { name: `s ${randomUUID()}`, code, grants });
    const { status, body } = await app.call('automations/invokeFunction', { id: fn.id, event: {} });
    expect([status, body.detail]).toEqual([200, undefined]);
    return body.result;
  };
  const failing = (call: string) => `return ${call}.catch(({ status, code, message }) => [status, code, message])`;

  it('reads and writes the tables of sites in grants.bases, by name or id (GR-04, GR-05)', async () => {
    const { name } = await done(app, 'site/getProject', { id: projectId });
    const code = `
      await ctx.sites[${JSON.stringify(name)}].tables.createRow('orders', { title: 'by name' });
      const all = await ctx.sites['${projectId}'].tables.readAll('orders');
      return [all.map(({ title }) => title), typeof ctx.tables]`;
    expect(await run(code, [{ projectId }])).toEqual([['by name'], 'undefined']);
  });

  it('under read, reads but does not write, and says so (GR-02, GR-03)', async () => {
    const { name } = await done(app, 'site/getProject', { id: projectId });
    await add({ title: 'a' });
    const grants = [{ projectId, access: 'read' }];
    const site = `ctx.sites['${projectId}'].tables`;
    expect(await run(`return ${site}.getRowCount('orders')`, grants)).toBe(1);
    for (const call of ["createRow('orders', {})", "deleteRow('orders', 'x')", "upsertRow('orders', {}, {})"]) {
      expect(await run(failing(`${site}.${call}`), grants)).toEqual([
        403,
        'site-read-only',
        `This function may only read ${name}.`,
      ]);
    }
    expect(await stored()).toHaveLength(1);
  });

  it('reaches only granted and existing sites (GR-01)', async () => {
    const call = failing(`ctx.sites['${projectId}'].tables.getRows('orders')`);
    expect(await run(call, [])).toMatchObject([403, 'site-not-granted', expect.stringContaining('grants.bases')]);
    const gone = await done(app, 'site/createProject', { name: 'Gone' });
    await done(app, 'site/deleteProject', { id: gone.id });
    expect(await run(`return typeof ctx.sites['${gone.id}']`, [{ projectId: gone.id }])).toBe('undefined');
  });
});
