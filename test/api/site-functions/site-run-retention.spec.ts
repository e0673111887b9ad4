import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Run } from '../../../src/areas/functions/run/run.record.js';
import { RunInputs } from '../../../src/areas/functions/run/storage/run-inputs.api.js';
import { SiteRunRetention } from '../../../src/areas/functions/run/storage/site-run-retention.api.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { ReadStore } from '../../../src/ports/read-store.port.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { newRunId, RunRecorder } from '../../support/sites/run-recorder.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';

let app: TestApp;
let site: SiteFunctionsScene;
let workspaceId: string;
let functionId: string;
beforeAll(async () => {
  app = await sharedApp();
  await done(app, 'workspace/updateSettings', { versions: false });
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
});
afterAll(() => app.close());
beforeEach(async () => {
  site = await SiteFunctionsScene.of(app);
  functionId = (await site.create('counted', 'return 1')).id;
});

const recorder = () => new RunRecorder(app, { workspaceId, projectId: site.projectId, functionId });
const sweep = () => app.app.get(SiteRunRetention).sweep();
const journal = () => app.app.get(EventStore).readStream(streamOf('run', workspaceId, functionId));
const statusOf = async (runId: string) =>
  (await app.call('site/getFunctionRun', { projectId: site.projectId, runId })).status;

const logOf = async (runId: string) => (await app.call('automations/getRunLog', { runId })).status;

/** The ids of all listed runs, newest first. */
async function listed(of: object = { functionId }): Promise<readonly string[]> {
  const ids: string[] = [];
  for (;;) {
    const before = ids.at(-1);
    const page = await site.runs({ ...of, limit: 200, ...(before === undefined ? {} : { before }) });
    ids.push(...page.map(({ id }: { id: string }) => id));
    if (page.length < 200) return ids;
  }
}

describe('the runs of a function of a site', () => {
  it('are the newest 500: of 501 the first is deleted, also from the log, but not runs of other functions', async () => {
    const other = await site.create('other', 'return 1');
    await site.invoke('other');
    const [first = '', ...newest] = await recorder().times(501);
    await sweep();
    expect(await listed()).toEqual(newest.toReversed());
    expect(await statusOf(first)).toBe(404);
    expect(JSON.stringify(await journal())).not.toContain(first);
    expect((await journal()).at(-1)?.type).toBe('RunsForgotten');
    const { length } = await journal();
    await sweep();
    expect(await journal()).toHaveLength(length);
    expect(await site.runs({ functionId: other.id })).toHaveLength(1);
  });

  it('are shown up to 500 before any older one is removed', async () => {
    const [first = '', ...newest] = await recorder().times(501);
    await site.create('other', 'return 1');
    await site.invoke('other');
    expect(await listed()).toEqual(newest.toReversed());
    const [ofOther, ...all] = await listed({});
    expect([ofOther === undefined, all]).toEqual([false, newest.toReversed()]);
    expect([await statusOf(first), await logOf(first)]).toEqual([404, 404]);
    expect([await statusOf(newest[0] ?? ''), await logOf(newest[0] ?? '')]).toEqual([200, 200]);
  });

  it('are removed without a sweep as soon as there are twice as many', async () => {
    const [first = ''] = await recorder().times(600);
    // Runs that this process does count.
    const retention = app.app.get(SiteRunRetention);
    for (let n = 0; n < 499; n++) retention.hasEnded({ projectId: site.projectId, functionId });
    expect((await site.invoke('counted')).status).toBe(200);
    const stored = () => app.app.get(ReadStore).count('runs', { functionId });
    expect(await eventually(stored, (count) => count <= 520, 30_000)).toBeGreaterThanOrEqual(500);
    expect(JSON.stringify(await journal())).not.toContain(first);
  }, 120_000);

  it('that are not over remain, with those after them, until they are', async () => {
    const old = await recorder().times(2);
    const going = await recorder().begin();
    const newest = await recorder().times(501);
    await sweep();
    expect(await listed()).toEqual(newest.slice(1).toReversed());
    expect(JSON.stringify(await journal())).toContain(newest[0]);
    for (const runId of old) expect(await statusOf(runId)).toBe(404);
    await recorder().end(going);
    await sweep();
    expect(await statusOf(going)).toBe(404);
    expect(await listed()).toEqual(newest.slice(1).toReversed());
  });

  it('of the workspace are not counted', async () => {
    const fn = await done(app, 'automations/createFunction', { name: 'account', code: 'return 1' });
    await done(app, 'automations/invokeFunction', { id: fn.id, event: {} });
    await sweep();
    expect(await done(app, 'automations/listRuns', { functionId: fn.id })).toHaveLength(1);
  });
});

describe('deleteProject', () => {
  const left = () => app.app.get(ReadStore).find<Run>('runs', { where: { projectId: site.projectId } });
  const remove = () => done(app, 'site/deleteProject', { id: site.projectId });

  it('deletes the runs of its functions, also of those deleted before, and no others', async () => {
    const other = await SiteFunctionsScene.of(app, 'Other');
    await other.create('counted', 'return 1');
    await other.invoke('counted');
    await site.create('second', 'return 1');
    await site.invoke('second');
    const ids = await recorder().times(3);
    await done(app, 'site/deleteBackendFunction', { projectId: site.projectId, functionId });
    expect(await listed()).toHaveLength(3);
    await remove();
    await eventually(left, (runs) => runs.length === 0, 30_000);
    const log = JSON.stringify(await eventually(journal, (events) => events.length === 1, 30_000));
    for (const id of ids) expect(log).not.toContain(id);
    expect(await other.runs()).toHaveLength(1);
  });

  it('leaves a run in progress, which a later sweep removes', async () => {
    const going = await recorder().begin();
    await remove();
    await sweep();
    expect((await left()).map(({ id }) => id)).toEqual([going]);
    await recorder().end(going);
    await sweep();
    await eventually(left, (runs) => runs.length === 0, 30_000);
  });

  it('destroys inputs that were stored for a replay', async () => {
    const inputs = app.app.get(RunInputs);
    const id = await failedRun();
    expect(await inputs.open(workspaceId, id)).toMatchObject({ n: 7 });
    await remove();
    await eventually(left, (runs) => runs.length === 0, 30_000);
    await eventually(
      () => inputs.open(workspaceId, id),
      (input) => input === undefined,
      30_000,
    );
  });

  /** A run that was accepted and has failed for good. Its input is still stored. */
  async function failedRun(): Promise<string> {
    const runId = newRunId();
    const record = recorder();
    await app.app.get(RunInputs).seal({ ...record.originOf(runId), params: { n: 7 } } as never);
    const facts = { projectId: site.projectId, runId, functionName: 'counted', version: 'v', source: 'event' } as const;
    const starter = { kind: 'event', id: 'ev_1', name: 'An event' } as const;
    const failed = { runId, attempt: 1, error: 'no', durationMs: 1, retryAt: null, logs: [] };
    await record.write(runId, [
      { type: 'RunAccepted', data: { ...facts, starter, depth: 0 } },
      { type: 'RunStarted', data: { ...facts, starter, attempt: 1, process: 'test', accepted: true } },
      { type: 'RunEnded', data: failed },
    ]);
    return runId;
  }
});
