// Engines: one process, and several.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Visitor } from '../../../src/areas/access/judging/visitor.api.js';
import { FunctionRuns } from '../../../src/areas/functions/run/function-runs.api.js';
import type { TestApp } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { person as personFacts } from '../../support/conditions/condition-facts.js';
import { done } from '../../support/people.js';
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
const add = (...values: readonly object[]) => done(app, 'bases/createRows', { tableId, rows: values });
const stored = async () => (await done(app, 'bases/listRows', { tableId })).rows;

describe('for a visitor or a user of the site', () => {
  const setRules = (accessRules: object) => done(app, 'bases/setTableAccessRules', { tableId, accessRules });
  const ada = personFacts({ properties: { team: 'red' } });
  const user: Visitor = { now: Date.now(), throughSite: true, person: ada };
  const visitor: Visitor = { now: Date.now(), throughSite: true };

  const runAs = async (who: Visitor, code: string) => runFor(who, await create(code));
  const runFor = async (who: Visitor, fn: { readonly id: string }) => {
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const report = await app.app.get(FunctionRuns, { strict: false }).run({
      workspaceId,
      projectId,
      functionId: fn.id,
      runId: `run_${randomUUID()}`,
      params: {},
      source: 'page',
      starter: { kind: 'automation', id: 'page', name: 'A page' },
      actor: { kind: 'system', id: 'test', name: 'test' },
      correlationId: randomUUID(),
      causationId: null,
      depth: 0,
      visitor: who,
    });
    return report.ok ? report.result : report.error;
  };
  const titles = `return (await ctx.tables.getRows('orders')).rows.map(({ title }) => title)`;

  it('shows no rows if the table has no rules, but all to the owner', async () => {
    await add({ title: 'a' });
    expect(await runAs(user, titles)).toEqual([]);
    expect(await runAs(visitor, titles)).toEqual([]);
    expect(await result(titles)).toEqual(['a']);
  });

  it('shows exactly the rows that the rules permit, in lists, counts, searches, reports and single reads', async () => {
    const { rows } = await add({ title: 'mine', team: 'red' }, { title: 'theirs', team: 'blue' });
    await setRules({ read: { type: 'field_match', field: 'team', property: 'team' } });
    const code = `
      const { rows, total } = await ctx.tables.getRows('orders');
      const found = await ctx.tables.searchRows('orders', 'e');
      const all = await ctx.tables.readAll('orders');
      const report = await ctx.tables.report('orders', { measures: [{ op: 'count' }] });
      const one = (id) => ctx.tables.getRow('orders', id).then(({ title }) => title, ({ code }) => code);
      return [rows.map(({ title }) => title), total, found.total, all.length, await ctx.tables.getRowCount('orders'),
        report.groups[0].count, await one('${rows[0].id}'), await one('${rows[1].id}')]`;
    expect(await runAs(user, code)).toEqual([['mine'], 1, 1, 1, 1, 1, 'mine', 'row-not-found']);
    expect(await runAs(visitor, titles)).toEqual([]);
  });

  it('leaves out fields that a rule hides, and names them (CC-06)', async () => {
    const { fields: made } = await done(app, 'bases/getTable', { id: tableId });
    await add({ title: 'a', amount: 7 });
    await setRules({ read: { type: 'public', scope: 'everywhere' } });
    await done(app, 'bases/updateField', { tableId, fieldId: made[1].id, accessRules: { read: { type: 'creator' } } });
    const code = `
      const { rows, hiddenFields } = await ctx.tables.getRows('orders');
      const blind = await ctx.tables.getRowCount('orders', { amount: 7 });
      const all = await ctx.tables.readAll('orders');
      return [Object.keys(rows[0]).includes('amount'), hiddenFields, blind, all.hiddenFields]`;
    expect(await runAs(user, code)).toEqual([false, ['amount'], 0, ['amount']]);
  });

  it('reveals no hidden value by sorting, reporting or matching', async () => {
    const { fields: made } = await done(app, 'bases/getTable', { id: tableId });
    await add({ title: 'a', amount: 7 });
    const open = { type: 'public', scope: 'everywhere' };
    await setRules({ read: open, create: open, update: open });
    await done(app, 'bases/updateField', { tableId, fieldId: made[1].id, accessRules: { read: { type: 'creator' } } });
    const code = `
      const failed = (call) => call.then(() => 'done', ({ status, code }) => [status, code]);
      return [await failed(ctx.tables.getRows('orders', { sort: [{ field: 'amount', dir: 'asc' }] })),
        await failed(ctx.tables.report('orders', { groupBy: ['amount'], measures: [{ op: 'count' }] })),
        await failed(ctx.tables.upsertRow('orders', { amount: 7 }, { title: 'b' }))]`;
    expect(await runAs(user, code)).toEqual(Array(3).fill([403, 'field-not-readable']));
    expect(await stored()).toEqual([expect.objectContaining({ title: 'a', amount: 7 })]);
  });

  it('writes within the rules, as the visitor', async () => {
    const own = { type: 'creator' };
    await setRules({ read: own, create: { type: 'authenticated' }, update: own, delete: own });
    const { rows } = await add({ title: 'not theirs' });
    const code = `
      const failed = (call) => call.then(() => 'done', ({ status, code }) => [status, code]);
      const { id, createdBy } = await ctx.tables.createRow('orders', { title: 'mine' });
      const changed = await ctx.tables.updateRow('orders', id, { title: 'still mine' });
      return [createdBy, changed.title, await failed(ctx.tables.updateRow('orders', '${rows[0].id}', { title: 'x' })),
        await failed(ctx.tables.deleteRow('orders', '${rows[0].id}')), await failed(ctx.tables.deleteRow('orders', id))]`;
    const missing = [404, 'row-not-found'];
    expect(await runAs(user, code)).toEqual([ada.id, 'still mine', missing, missing, 'done']);
    const creating = `return ctx.tables.createRow('orders', {}).catch(({ status, code }) => [status, code])`;
    expect(await runAs(visitor, creating)).toEqual([403, 'row-not-allowed']);
  });

  it('ctx.service.tables ignores the rules, but only after a person approved Full data access (CC-11)', async () => {
    await add({ title: 'a' });
    const code = titles.replace('ctx.tables', 'ctx.service.tables');
    const wanting = await runAs(
      visitor,
      "return [await ctx.service.tables.getRows('orders').catch(({ code }) => code)]",
    );
    expect(wanting).toEqual(['power-missing']);
    const fn = await create(code);
    const { version: seenVersion } = await done(app, 'site/getBackendFunction', { projectId, functionId: fn.id });
    const asked = { projectId, functionId: fn.id, capabilities: ['service'], seenVersion };
    await approved(app, await app.call('site/setFunctionCapabilities', asked));
    expect((await invoke(fn)).body.data).toEqual(['a']);
  });

  it('reads and changes every row for them once the Owner approved identity mode workspace', async () => {
    await add({ title: 'a' });
    const fn = await create(`
      const { rows } = await ctx.tables.getRows('orders');
      for (const { id } of rows) await ctx.tables.updateRow('orders', id, { title: 'seen' });
      const all = await ctx.service.tables.getRowCount('orders').catch(({ code }) => code);
      if (all !== (rows.length || 'power-missing')) throw new Error('service: ' + all);
      return rows.length`);
    await done(app, 'workspace/updateSettings', { actsAsWorkspaceSwitch: true });
    const setMode = async (mode: string) => {
      const { version: seenVersion } = await done(app, 'site/getBackendFunction', { projectId, functionId: fn.id });
      const wanted = { projectId, functionId: fn.id, mode, seenVersion };
      const asked = await app.call('site/setFunctionIdentityMode', wanted);
      expect(await runFor(user, fn)).toBe(mode === 'workspace' ? 0 : 1);
      await approved(app, asked);
    };
    await setMode('workspace');
    for (const who of [user, visitor]) expect(await runFor(who, fn)).toBe(1);
    expect(await stored()).toEqual([expect.objectContaining({ title: 'seen' })]);
    await setMode('as_set_up');
    expect(await runFor(user, fn)).toBe(0);
    await done(app, 'workspace/updateSettings', { actsAsWorkspaceSwitch: false });
  });
});
