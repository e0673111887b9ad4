// Engines: one process.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { type Processes, startProcesses } from '../../support/processes.js';

let processes: Processes;
let worker: TestApp;
let one: TestApp;
let two: TestApp;
beforeEach(async () => {
  processes = await startProcesses();
  worker = await processes.start('projections,sagas,runner,scheduler,mail-in');
  [one, two] = await Promise.all([processes.start('api'), processes.start('api')]);
}, 60_000);
afterEach(() => processes.close(), 60_000);

const create = (app: TestApp, name: string, code = 'return params.n + 1') =>
  app.call('automations/createFunction', { name, code });

describe('the service in several processes', () => {
  it('shows through one process, at once, what another has answered', async () => {
    for (let n = 0; n < 20; n++) {
      const [here, there] = n % 2 === 0 ? [one, two] : [two, one];
      const fn = (await create(here, `fn ${n}`)).body;
      expect((await there.call('automations/getFunction', { id: fn.id })).body).toEqual(fn);
      expect((await there.call('automations/listFunctions')).body).toHaveLength(n + 1);
      expect((await there.call('audit/getHistory', { kind: 'function', id: fn.id })).body.events).toHaveLength(1);
      await here.call('automations/deleteFunction', { id: fn.id });
      expect((await there.call('automations/getFunction', { id: fn.id })).status).toBe(404);
      await create(here, `kept ${n}`);
    }
  }, 60_000);

  it('starts the main job at any process, and runs accepted work at the runner', async () => {
    const fn = (await create(one, 'plus one')).body;
    await two.call('automations/updateFunction', { id: fn.id, isActive: true });
    const { token } = (await one.call('automations/createWebhook', { functionId: fn.id })).body;
    const path = `/api/automations/functions/webhook/${token}`;
    const fire = (app: TestApp, headers: Record<string, string> = {}) =>
      app.send('POST', path, '{"n":41}', { 'content-type': 'application/json', ...headers });
    expect((await fire(two)).body).toEqual({ success: true, data: 42 });
    const accepted = await fire(one, { prefer: 'respond-async' });
    expect(accepted.status).toBe(202);
    const runs = await eventually(
      async () => (await two.call('automations/listRuns', { functionId: fn.id })).body,
      (list) => list.length === 2 && list.every(({ status }: { status: string }) => status === 'success'),
    );
    expect(runs.map(({ id }: { id: string }) => id)).toContain(accepted.body.runId);
  }, 60_000);

  // The delay of half a second at most is tested in src/areas/workspace/api-key/key-authenticator.spec.ts.
  it('ends a key everywhere when it is revoked', async () => {
    const { id: memberId } = (await one.call('workspace/getWorkspace')).body.me;
    const made = (await one.call('workspace/createApiKey', { name: 'short', kind: 'person', memberId })).body;
    expect((await two.call('workspace/getWorkspace', {}, made.key)).status).toBe(200);
    await one.call('workspace/revokeApiKey', { id: made.id });
    await eventually(
      () => two.call('workspace/getWorkspace', {}, made.key),
      ({ status }) => status === 401,
    );
  }, 60_000);

  it('tells a second call with the same key, at another process, that the first is in progress', async () => {
    const fn = (await create(one, 'slow', 'await new Promise((resolve) => setTimeout(resolve, 1500)); return 1')).body;
    const invoke = (app: TestApp) =>
      app.call('automations/invokeFunction', { id: fn.id }, undefined, { 'idempotency-key': 'same' });
    const first = invoke(one);
    await eventually(
      async () => (await two.call('automations/listRuns', { functionId: fn.id })).body,
      ([run]) => run?.status === 'running',
    );
    const second = await invoke(two);
    expect([second.status, second.body.code]).toEqual([409, 'idempotency-key-in-progress']);
    const answer = await first;
    const third = await invoke(two);
    expect([third.body, third.headers.get('idempotency-replayed')]).toEqual([answer.body, 'true']);
    expect((await two.call('automations/listRuns', { functionId: fn.id })).body).toHaveLength(1);
  }, 60_000);

  it('works while nobody builds the read models, reports their age, and catches up by itself', async () => {
    const fn = (await create(one, 'before')).body;
    await worker.close();
    const made = await create(two, 'meanwhile');
    expect([made.status, made.headers.get('x-read-model')]).toEqual([200, 'behind']);
    const old = await eventually(
      () => one.call('automations/getFunction', { id: fn.id }),
      ({ headers }) => headers.has('x-read-model-age'),
    );
    expect([old.status, old.body]).toEqual([200, fn]);
    expect(Number(old.headers.get('x-read-model-age'))).toBeGreaterThanOrEqual(5);
    const { status, body } = await one.send('GET', '/readyz');
    expect(status).toBe(200);
    expect(body.parts.readModels).toMatch(/^The read models last included the whole log \d+ s ago\.$/);
    await processes.start('projections,sagas,runner,scheduler,mail-in');
    const fresh = await eventually(
      () => one.call('automations/getFunction', { id: made.body.id }),
      (reply) => reply.status === 200 && !reply.headers.has('x-read-model-age'),
    );
    expect(fresh.body).toEqual(made.body);
  }, 60_000);

  it('answers a call to a process without the role api with 503 and the reason', async () => {
    const { status, body } = await worker.call('automations/listFunctions');
    expect([status, body.code]).toEqual([503, 'no-api-here']);
    expect((await worker.send('GET', '/readyz')).status).toBe(200);
  });

  it('reports roles in its metrics', async () => {
    const metrics = async (app: TestApp) => (await app.send('GET', '/metrics')).body as string;
    const ofWorker = await metrics(worker);
    for (const lease of ['read-model/functions', 'read-model/audit', 'work', 'scheduler']) {
      expect(ofWorker).toContain(`countersign_lease_held{lease="${lease}"} 1`);
    }
    expect(await metrics(one)).not.toContain('countersign_lease_held{');
    expect(await metrics(one)).toMatch(/countersign_read_model_age_seconds\{projection="functions"\} \d/);
  });
});
