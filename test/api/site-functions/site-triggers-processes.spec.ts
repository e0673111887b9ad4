import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { eventScene } from '../../support/automations/event-triggers.js';
import { type Engines, startEngines } from '../../support/engines.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';

/** One process serves calls, and another runs functions, sagas and schedules. They share the engines. */
let app: TestApp;
let engines: Engines;
let projectId: string;
beforeAll(async () => {
  engines = await startEngines();
  app = await startApp({ engines, several: true });
  projectId = (await done(app, 'site/createProject', { name: 'Shared' })).id;
}, 60_000);
afterAll(async () => {
  await app.close();
  await engines.close();
}, 60_000);

const site = (name: string, code: string): Promise<{ readonly id: string }> =>
  done(app, 'site/createBackendFunction', { projectId, name, code });
const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, '');
const invoke = async (functionName: string, params: object) =>
  (await done(app, 'site/invokeBackendFunction', { projectId, functionName, params })).data;

describe('in several processes', () => {
  it('links made by one process work at another for downloads and uploads', async () => {
    await site('files', 'const [member, ...args] = params.call; return (await ctx.files[member](...args)) ?? null');
    const ctx = (...call: readonly unknown[]) => invoke('files', { call });
    const size = 2 * 1024 * 1024 + 1;
    const wanted = { name: 'large.bin', contentType: 'application/octet-stream', size };
    const link = await ctx('getUploadUrl', wanted);
    const bytes = Buffer.alloc(size, 'x');
    const type = { 'content-type': 'application/octet-stream' };
    const sent = await Promise.all([1, 2, 3].map(() => app.send('PUT', pathOf(link.url), bytes, type)));
    expect(sent.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await ctx('list')).toMatchObject([{ id: link.id, size }]);
    const { url } = await ctx('getUrl', link.id);
    const response = await fetch(`${app.url}${pathOf(url)}`);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    await ctx('delete', link.id);
    await eventually(
      () => app.send('GET', pathOf(url)),
      ({ status }) => status === 404,
    );
  }, 60_000);

  it('schedules, webhooks and events of rows start functions of sites', async () => {
    const { id: functionId } = await site('says', 'console.log(JSON.stringify(params)); return params.row ?? null');
    const { id: scheduleId } = await done(app, 'site/createSchedule', {
      projectId,
      functionName: 'says',
      cronExpression: '0 3 * * *',
    });
    expect(await done(app, 'site/listSchedules', { projectId })).toMatchObject([{ id: scheduleId, functionId }]);
    const { token } = await done(app, 'automations/createWebhook', { functionId, kind: 'site' });
    const called = await app.send('POST', `/api/automations/functions/webhook/${token}`, '{}');
    expect([called.status, called.body]).toEqual([200, { success: true, data: null }]);
    const { linkedBaseId: baseId } = await done(app, 'site/getProject', { id: projectId });
    const fields = [{ name: 'title', type: 'text' }];
    const { id: tableId } = await done(app, 'bases/createTable', { baseId, name: 'Orders', fields });
    const scene = eventScene(app);
    const trigger = await scene.ok('addEventTrigger', {
      event: 'base.row_created',
      targetKind: 'site_function',
      targetRef: functionId,
    });
    const row = await done(app, 'bases/createRow', { tableId, values: { title: 'Tea' } });
    const [run] = await scene.over(trigger.id);
    expect(run).toMatchObject({ status: 'ok' });
    const found = await eventually(
      async () => {
        const { runs } = await done(app, 'site/listFunctionRuns', { projectId, functionId });
        return runs.find(({ source }: { source: string }) => source === 'event');
      },
      (one) => one !== undefined,
    );
    const { lines } = await done(app, 'automations/getRunLog', { runId: found.id });
    expect(JSON.parse(lines[0].text)).toMatchObject({ row });
  }, 60_000);
});
