import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Run } from '../../../src/areas/functions/run/run.record.js';
import { Targets } from '../../../src/engine/scopes/targets.js';
import { ReadStore } from '../../../src/ports/read-store.port.js';
import type { TestApp } from '../../support/app.js';
import { Gate } from '../../support/automations/gate.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, person } from '../../support/people.js';
import { sharedOutside } from '../../support/shared-outside.js';
import { nobody, SiteFunctionsScene, siteUser } from '../../support/sites/site-functions.js';

let app: TestApp;
let site: SiteFunctionsScene;
let workspaceId: string;
beforeAll(async () => {
  app = await sharedOutside();
  await done(app, 'workspace/updateSettings', { versions: false });
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
});
afterAll(() => app.close());
beforeEach(async () => {
  site = await SiteFunctionsScene.of(app);
});

type Row = Record<string, unknown> & { readonly id: string };
const open = { accessRules: { execute: { type: 'public', scope: 'everywhere' } } };
const call = (operation: string, body: object, key?: string) =>
  app.call(`site/${operation}`, { projectId: site.projectId, ...body }, key);
const scheduled = (runId: string, functionId: string, starter: object) =>
  app.app.get(Targets, { strict: false }).start([
    {
      workspaceId,
      target: { kind: 'site_function', ref: functionId },
      runId,
      input: {},
      source: 'schedule',
      starter: starter as never,
      actor: { kind: 'schedule', id: 'sched_1', name: 'Nightly' },
      correlationId: 'c',
      causationId: null,
      eventDepth: 0,
    },
  ]);

describe('a run', () => {
  it('has the fields of the contract, in the list and alone; startedBy in the list', async () => {
    const fn = await site.create('greet', 'return 1');
    await site.invoke('greet');
    const [run] = await site.runs();
    expect(run).toEqual({
      id: expect.stringMatching(/^run_/),
      functionId: fn.id,
      functionName: 'greet',
      scheduleId: null,
      source: 'manual',
      status: 'success',
      startedAt: expect.any(String),
      finishedAt: expect.any(String),
      durationMs: expect.any(Number),
      error: null,
      startedBy: expect.any(String),
    });
    const { startedBy: _, ...rest } = run;
    expect(await done(app, 'site/getFunctionRun', { projectId: site.projectId, runId: run.id })).toEqual(rest);
  });

  it('shows its failure in one plain line, never a stack trace', async () => {
    await site.create('fails', 'function inner() { throw new Error("First.\\nSecond.") }\ninner()');
    await site.invoke('fails');
    const [run] = await site.runs();
    expect([run.status, run.error]).toEqual(['error', expect.stringContaining('First.')]);
    expect(run.error).not.toMatch(/\n|\bat inner\b|\.ts|\.js/);
  });

  it('stores no params and results', async () => {
    await site.create('echo', 'return params.secret + "-back"');
    await site.invoke('echo', { secret: 'kept-by-nobody-4711' });
    const answers = [await site.runs(), (await app.call('audit/listEvents', { limit: 200 })).body];
    expect(JSON.stringify(answers)).not.toContain('kept-by-nobody');
  });

  it.each([
    ['a member', 'manual', async () => site.invoke('greet')],
    ['a visitor', 'page', async () => site.visit('greet', { visitor: nobody })],
    ['a site user', 'page', async () => site.visit('greet', { visitor: siteUser() })],
  ])('that %s started shows that', async (who, source, start) => {
    await site.create('greet', 'return 1', open);
    await start();
    const [run] = await site.runs();
    const words = { 'a visitor': 'A visitor', 'a site user': 'A site user' }[who] ?? run.startedBy;
    expect([run.source, run.startedBy]).toEqual([source, words]);
    expect(JSON.stringify(run)).not.toContain('ada@example.com');
  });

  it('that a schedule started names the schedule', async () => {
    const fn = await site.create('greet', 'return 1');
    await scheduled('run_byschedule', fn.id, { kind: 'schedule', id: 'sched_1', name: 'Nightly' });
    await eventually(
      () => site.runs(),
      (runs) => runs.length === 1,
      30_000,
    );
    const [run] = await site.runs({ scheduleId: 'sched_1' });
    expect([run.source, run.scheduleId, run.startedBy, run.status]).toEqual([
      'schedule',
      'sched_1',
      'Schedule',
      'success',
    ]);
    expect(await site.runs({ scheduleId: 'sched_2' })).toEqual([]);
  });

  it('of a schedule whose function is deleted is an error with functionId null', async () => {
    const fn = await site.create('greet', 'return 1');
    await done(app, 'site/deleteBackendFunction', { projectId: site.projectId, functionId: fn.id });
    await scheduled('run_ofgone', fn.id, { kind: 'schedule', id: 'sched_1', name: 'Nightly' });
    const [run] = await site.runs();
    expect(run).toMatchObject({
      functionId: null,
      functionName: 'greet',
      scheduleId: 'sched_1',
      status: 'error',
      error: "The function 'greet' was deleted, so nothing was run.",
    });
  });
});

describe('listFunctionRuns', () => {
  const ids = (runs: readonly Row[]) => runs.map(({ id }) => id);

  it('lists the newest first, by function and by status, 50 by default, at most 200', async () => {
    const [good, bad] = [await site.create('good', 'return 1'), await site.create('bad', 'throw new Error("no")')];
    for (const name of ['good', 'bad', 'good']) await site.invoke(name);
    const all = await site.runs();
    expect(all.map((run: Row) => run['functionName'])).toEqual(['good', 'bad', 'good']);
    expect(ids(await site.runs({ functionId: good.id }))).toEqual([all[0].id, all[2].id]);
    expect(ids(await site.runs({ functionId: bad.id, status: 'success' }))).toEqual([]);
    expect(ids(await site.runs({ status: 'error' }))).toEqual([all[1].id]);
    expect(ids(await site.runs({ limit: 1 }))).toEqual([all[0].id]);
    for (const limit of [0, 201, 1.5]) {
      const { status, body } = await call('listFunctionRuns', { limit });
      expect([status, body.errors[0].path]).toEqual([400, 'limit']);
    }
  });

  it('leaves out runs in progress', async () => {
    const gate = await Gate.start();
    await site.create('slow', gate.code);
    const going = site.invoke('slow');
    const { functionId } = await eventually(
      () => app.app.get(ReadStore, { strict: false }).find<Run>('runs', { where: { status: 'running' } }),
      (open) => open.length === 1,
      30_000,
    ).then(([run]) => run ?? { functionId: '' });
    expect(await site.runs({ functionId })).toEqual([]);
    gate.isOpen = true;
    await going;
    await gate.close();
    expect(await site.runs()).toHaveLength(1);
  });

  it("answers 'Function not found' for a function that is not of this site", async () => {
    const other = await SiteFunctionsScene.of(app, 'Other');
    const foreign = await other.create('greet', 'return 1');
    await other.invoke('greet');
    const { id } = await done(app, 'automations/createFunction', { name: `account ${foreign.id}` });
    for (const functionId of [foreign.id, id, 'fn_none']) {
      const { status, body } = await call('listFunctionRuns', { functionId });
      expect([status, body.detail]).toEqual([404, expect.stringContaining('Function not found')]);
    }
    expect(await site.runs()).toEqual([]);
    const [run] = await other.runs();
    expect((await call('getFunctionRun', { runId: run.id })).status).toBe(404);
    expect((await call('listFunctionRuns', { before: run.id })).status).toBe(404);
  });

  it('before pages to older runs if the Runs tab is on; otherwise before is refused and startedBy is left out', async () => {
    await site.create('greet', 'return 1');
    for (let n = 0; n < 3; n++) await site.invoke('greet');
    const all = await site.runs();
    expect(ids(await site.runs({ before: all[0].id, limit: 1 }))).toEqual([all[1].id]);
    expect(ids(await site.runs({ before: all[2].id }))).toEqual([]);
    await done(app, 'workspace/updateSettings', { runsTab: false });
    const { status, body } = await call('listFunctionRuns', { before: all[0].id });
    expect([status, body.code]).toEqual([403, 'older-runs-off']);
    const [without] = await site.runs();
    expect(without).not.toHaveProperty('startedBy');
    await done(app, 'workspace/updateSettings', { runsTab: true });
  });

  it('is open to every member and to read-only keys', async () => {
    await site.create('greet', 'return 1');
    await site.invoke('greet');
    const keys = [(await person(app, 'viewer')).key, await keyOf(app, { kind: 'automation', readOnly: true })];
    for (const key of keys) expect(await site.runs({}, key)).toHaveLength(1);
  });

  it('does not mix runs of sites with those of account functions', async () => {
    const fn = await site.create('greet', 'return 1');
    await site.invoke('greet');
    expect((await app.call('automations/listRuns', { functionId: fn.id })).status).toBe(404);
  });
});
