// Second tier.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
  await done(app, 'workspace/updateSettings', { versions: false });
});
afterAll(() => app.close());

it('the data that a run passes to its calls is limited in total, including refused calls', async () => {
  const code =
    "const big = 'x'.repeat(1_000_000); for (let at = 0; at < 80; at += 1) await ctx.fetch(big).catch(() => {}); return 1";
  const { id } = await done(app, 'automations/createFunction', { name: 'large', code });
  const { status, body } = await app.call('automations/invokeFunction', { id });
  expect([status, body.detail]).toEqual([422, expect.stringContaining('more than 64 MB')]);
});

it('ctx.tables.readAll throws beyond 10,000 rows, unless maxRows is lower', async () => {
  const project = await done(app, 'site/createProject', { name: 'Shop' });
  const fields = [{ name: 'amount', type: 'number', indexed: true }];
  const table = { baseId: project.linkedBaseId, name: 'orders', fields };
  const { id: tableId } = await done(app, 'bases/createTable', table);
  for (let from = 0; from < 10_001; from += 1_000) {
    const rows = Array.from({ length: Math.min(1_000, 10_001 - from) }, (_, n) => ({ amount: from + n }));
    await done(app, 'bases/createRows', { tableId, rows });
  }
  const code = `
    const refused = await ctx.tables.readAll('orders').catch(({ status, code }) => [status, code]);
    const all = await ctx.tables.readAll('orders', { maxRows: 10_000 });
    return [refused, all.length, (await ctx.tables.readAll('orders', { filter: { amount: { lt: 10_000 } } })).length]`;
  await done(app, 'site/createBackendFunction', { projectId: project.id, name: 'reads', code });
  const { data } = await done(app, 'site/invokeBackendFunction', { projectId: project.id, functionName: 'reads' });
  expect(data).toEqual([[413, 'too-many-rows'], 10_000, 10_000]);
}, 300_000);

it('ctx.functions.run can be nested eight levels deep', async () => {
  const runBy = { pages: false, functions: 'any', agents: [] };
  const deep = { name: 'deep', code: 'return await ctx.functions.run("deep")', accessRules: { runBy } };
  const { id } = await done(app, 'automations/createFunction', deep);
  await done(app, 'automations/updateFunction', { id, isActive: true });
  const { status, body } = await app.call('automations/invokeFunction', { id });
  expect([status, body.detail]).toEqual([422, expect.stringContaining('8 deep')]);
  expect(await done(app, 'automations/listRuns', { functionId: id })).toHaveLength(1 + 8);
});
