// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Run, runInputName } from '../../../src/areas/functions/run/run.record.js';
import { Reads } from '../../../src/engine/scopes/reads.js';
import { Vault } from '../../../src/ports/vault.port.js';
import type { TestApp } from '../../support/app.js';
import { type EventScene, eventScene } from '../../support/automations/event-triggers.js';
import { activeFlow } from '../../support/automations/flows.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let scene: EventScene;
let projectId: string;
let tableId: string;
beforeAll(async () => {
  app = await sharedApp();
  await done(app, 'workspace/updateSettings', { versions: false });
  scene = eventScene(app);
});
afterAll(() => app.close());
beforeEach(async () => {
  const project = await done(app, 'site/createProject', { name: 'Shop' });
  projectId = project.id;
  tableId = await table(project.linkedBaseId);
});

let made = 0;
const table = async (baseId: string): Promise<string> =>
  (
    await done(app, 'bases/createTable', {
      baseId,
      name: 'Orders',
      fields: [
        { name: 'title', type: 'text' },
        { name: 'size', type: 'integer' },
      ],
    })
  ).id;
const row = (values: object) => done(app, 'bases/createRow', { tableId, values });
const site = async (code: string, more: object = {}): Promise<{ readonly id: string }> =>
  done(app, 'site/createBackendFunction', { projectId, name: `fn_${made++}`, code, ...more });
const mine = (rest: object = {}) => ({ filters: [{ field: 'tableId', op: 'eq', value: tableId }], ...rest });
const add = (targetRef: string, event: string, rest: object = mine()) =>
  scene.ok('addEventTrigger', { event, targetKind: 'site_function', targetRef, ...rest });
const runsOf = async (functionId: string): Promise<readonly Run[]> => {
  const { id } = await done(app, 'workspace/getWorkspace');
  return app.app.get(Reads).find<Run>(id, 'runs', { where: { functionId }, sort: [['position', 'asc']] });
};
const ended = (functionId: string, count: number) =>
  eventually(
    () => runsOf(functionId),
    (all) => all.length === count && all.every(({ status }) => status === 'success' || status === 'error'),
    30_000,
  );
/** What the function logged in each of its runs, oldest first. */
async function said(functionId: string, count = 1) {
  const all = await ended(functionId, count);
  return Promise.all(
    all.map(async ({ id }) => JSON.parse((await done(app, 'automations/getRunLog', { runId: id })).lines[0].text)),
  );
}
const says = 'console.log(JSON.stringify(params)); return 1';

describe('a trigger on rows', () => {
  it('runs a site function with the present row, and the event without values', async () => {
    const fn = await site(says);
    const trigger = await add(fn.id, 'base.row_created');
    const made = await row({ title: 'Tea', size: 3 });
    const [params] = await said(fn.id);
    expect(params).toEqual({
      event: {
        id: expect.any(String),
        name: 'base.row_created',
        source: 'base',
        origin: expect.any(String),
        subject: { type: 'row', id: made.id },
        properties: { tableId, table: 'Orders', rowId: made.id, changed: ['title', 'size'] },
        occurredAt: expect.any(String),
      },
      trigger: { id: trigger.id, name: trigger.name },
      row: made,
    });
  });

  it('runs functions of the workspace and flows with it, too', async () => {
    const fn = await scene.fn(says);
    const inFlow = await scene.fn(says);
    const flow = await activeFlow(app, [
      { id: 'one', kind: 'run_function', settings: { function: inFlow, params: { title: '{{input.row.title}}' } } },
    ]);
    const filters = mine();
    await scene.add(fn, 'base.row_updated', filters);
    const flowTrigger = await scene.ok('addEventTrigger', {
      event: 'base.row_updated',
      targetKind: 'flow',
      targetRef: flow,
      ...filters,
    });
    const { id } = await row({ title: 'Tea' });
    const updated = await done(app, 'bases/updateRow', { tableId, id, values: { size: 4 } });
    const [params] = await said(fn);
    expect(params).toMatchObject({ row: updated, event: { properties: { changed: ['size'] } } });
    expect(await scene.over(flowTrigger.id)).toMatchObject([{ status: 'ok' }]);
    expect(await said(inFlow)).toEqual([{ title: 'Tea' }]);
  });

  it('passes null for a row deleted in the meantime or by the event', async () => {
    const fn = await site(says);
    await add(fn.id, 'base.row_deleted');
    const { id } = await row({ title: 'Tea' });
    await done(app, 'bases/deleteRow', { tableId, id });
    const [params] = await said(fn.id);
    expect(params).toMatchObject({ row: null, event: { properties: { rowId: id, changed: ['title'] } } });
  });

  it('loads the row when the run begins: a replay after its erasure gets none of its values', async () => {
    const fn = await site(`console.log(JSON.stringify(params)); throw new Error('not yet')`);
    await add(fn.id, 'base.row_created');
    const { id } = await row({ title: 'a secret of Ada' });
    const [first] = await said(fn.id);
    expect(first.row).toMatchObject({ title: 'a secret of Ada' });
    const [failed] = await ended(fn.id, 1);
    const input = runInputName(failed?.workspaceId ?? '', failed?.id ?? '');
    expect(await app.app.get(Vault).open(input)).toBeDefined();
    await done(app, 'bases/eraseRow', { tableId, id });
    const replayed = await app.call('automations/replayRun', { runId: failed?.id });
    expect([replayed.status, replayed.body.detail]).toEqual([200, undefined]);
    const [, again] = await said(fn.id, 2);
    expect(again).toMatchObject({ row: null, event: { properties: { rowId: id } } });
  });

  it('passes no row for an event that a sender made up', async () => {
    const { id } = await row({ title: 'not for them' });
    const event = { name: 'base.row_created', properties: { tableId, rowId: id } };
    const fn = await site('return params.row === undefined');
    const { token } = await done(app, 'automations/createWebhook', { functionId: fn.id, kind: 'site' });
    const { body } = await app.send(
      'POST',
      `/api/automations/functions/webhook/${token}`,
      JSON.stringify({ event, trigger: { id: 'evt_1' } }),
      { 'content-type': 'application/json' },
    );
    expect(body).toEqual({ success: true, data: true });
  });

  it('cannot be added for a base that belongs to no site', async () => {
    const fn = await site(says);
    const base = await done(app, 'bases/createBase', { name: 'Books' });
    const other = await table(base.id);
    await add(fn.id, 'base.*', {});
    await done(app, 'bases/createRow', { tableId: other, values: { title: 'Tea' } });
    await row({ title: 'Coffee' });
    const [params] = await said(fn.id);
    expect(params.row).toMatchObject({ title: 'Coffee' });
    expect(await runsOf(fn.id)).toHaveLength(1);
  });

  it('ends after eight rounds if its function writes the next row', async () => {
    const fn = await scene.fn(
      "return ctx.connections.call('service', 'bases_createRow', { tableId: params.row && params.event.properties.tableId, values: { size: params.row.size + 1 } })",
      { grants: { bases: [{ projectId }], serviceTools: ['bases_createRow'] } },
    );
    const trigger = await scene.add(fn, 'base.row_created', mine());
    await row({ size: 0 });
    const all = await eventually(
      () => scene.runs(trigger.id, { limit: 200 }),
      (found) => found.some(({ status }) => status === 'skipped'),
      30_000,
    );
    expect(all.filter(({ status }) => status === 'skipped')).toMatchObject([{ reason: 'loop' }]);
    // The eighth run wrote the row that started no more runs, and may still be going.
    expect(all.filter(({ status }) => status !== 'skipped')).toHaveLength(8);
    const { rows } = await done(app, 'bases/listRows', { tableId, sort: [{ field: 'size', dir: 'desc' }], limit: 1 });
    expect(rows).toMatchObject([{ size: 8 }]);
  });

  it('ends after eight rounds if a site function writes the next row with ctx.tables', async () => {
    const fn = await site("return ctx.tables.createRow('Orders', { size: params.row.size + 1 })");
    const trigger = await add(fn.id, 'base.row_created');
    await row({ size: 0 });
    const all = await eventually(
      () => scene.runs(trigger.id, { limit: 200 }),
      (found) => found.some(({ status }) => status === 'skipped'),
      30_000,
    );
    const skipped = all.filter(({ status }) => status === 'skipped');
    expect(skipped).toMatchObject([{ reason: 'loop', attempts: 0 }]);
    const { rows } = await done(app, 'bases/listRows', { tableId, sort: [{ field: 'size', dir: 'desc' }], limit: 1 });
    expect(rows).toMatchObject([{ size: 8 }]);
    expect(skipped[0]?.event.properties.rowId).toBe(rows[0].id);
    await ended(fn.id, 8);
  });

  it('is listed among the built-in events', async () => {
    const sources: readonly { readonly source: string; readonly events: readonly { readonly name: string }[] }[] =
      await scene.ok('builtins');
    const names = sources.find(({ source }) => source === 'base')?.events.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['base.row_created', 'base.row_updated', 'base.row_deleted']));
  });
});
