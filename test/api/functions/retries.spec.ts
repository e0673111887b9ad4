import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { keyOf } from '../../support/people.js';
import { type OutsideApp, sharedStandingTime } from '../../support/shared-outside.js';

const runBy = { pages: false, functions: 'any', agents: 'any' };
let clock: MadeUpClock;
let app: OutsideApp<MadeUpClock>;
beforeAll(async () => {
  app = await sharedStandingTime();
  ({ clock } = app);
  await app.call('workspace/updateSettings', { versions: false });
});
afterAll(() => app.close());

let count = 0;
async function failing(maxRetries: number, code = 'throw new Error("again")') {
  const wanted = { name: `retried ${count++}`, code, maxRetries, accessRules: { runBy } };
  const fn = (await app.call('automations/createFunction', wanted)).body;
  await app.call('automations/updateFunction', { id: fn.id, isActive: true });
  return fn;
}
const invokeBy = (key: string, id: string) => app.call('automations/invokeFunction', { id }, key);
async function fire(functionId: string, headers = {}) {
  const { token } = (await app.call('automations/createWebhook', { functionId })).body;
  return app.send('POST', `/api/automations/functions/webhook/${token}`, '{}', headers);
}
const runOf = async (functionId: string) => (await app.call('automations/listRuns', { functionId })).body[0];
const attemptsMade = (functionId: string, made: number) =>
  eventually(
    () => runOf(functionId),
    (run) => run?.attempts.length === made && run.status !== 'running',
  );

describe('maxRetries', () => {
  it.each([
    ['a webhook', (id: string) => fire(id)],
    ['a webhook that does not wait', (id: string) => fire(id, { prefer: 'respond-async' })],
    ['an automation', async (id: string) => invokeBy(await keyOf(app, { kind: 'automation' }), id)],
    ['a flow', async (id: string) => invokeBy(await keyOf(app, { kind: 'flow' }), id)],
  ])('a run that %s started is retried after one second and then with twice the pause each time', async (_, start) => {
    const fn = await failing(5);
    const answer = start(fn.id);
    for (const [attempt, seconds] of [1, 2, 4, 8, 16].entries()) {
      const waiting = await attemptsMade(fn.id, attempt + 1);
      expect(waiting).toMatchObject({
        status: 'queued',
        retryAt: new Date(clock.now() + seconds * 1_000).toISOString(),
      });
      clock.advance(seconds * 1_000 - 1);
      expect((await runOf(fn.id)).attempts).toHaveLength(attempt + 1);
      clock.advance(1);
    }
    const run = await attemptsMade(fn.id, 6);
    expect(run).toMatchObject({ status: 'error', attempt: 6, error: 'again (line 1)', retryAt: null });
    expect(run.attempts.map(({ number, error }: { number: number; error: string }) => [number, error])).toEqual(
      [1, 2, 3, 4, 5, 6].map((number) => [number, 'again (line 1)']),
    );
    expect([202, 422, 500]).toContain((await answer).status);
    clock.advance(3_600_000);
    expect((await runOf(fn.id)).attempts).toHaveLength(6);
  });

  it('a run that finally succeeds is not retried, and shows the time of every attempt', async () => {
    const fn = await failing(3, 'throw new Error("not yet")');
    const answer = fire(fn.id);
    await attemptsMade(fn.id, 1);
    const { updatedAt } = (await app.call('automations/getFunction', { id: fn.id })).body;
    await app.call('automations/updateFunction', { id: fn.id, code: 'return "done"', seenUpdatedAt: updatedAt });
    const first = new Date(clock.now()).toISOString();
    clock.advance(1_000);
    expect((await answer).body).toEqual({ success: true, data: 'done' });
    const run = await runOf(fn.id);
    expect(run).toMatchObject({ status: 'success', attempt: 2, error: null, retryAt: null });
    const second = new Date(clock.now()).toISOString();
    expect(run.attempts).toEqual([
      { number: 1, startedAt: first, finishedAt: first, durationMs: 0, error: 'not yet (line 1)' },
      { number: 2, startedAt: second, finishedAt: second, durationMs: 0, error: null },
    ]);
  });

  it('a run whose params no longer fit at a retry has failed, and is not retried', async () => {
    const fn = await failing(3);
    const answer = invokeBy(await keyOf(app, { kind: 'automation' }), fn.id);
    await attemptsMade(fn.id, 1);
    const toolSpec = { inputSchema: { required: ['new'] } };
    await app.call('automations/updateFunction', { id: fn.id, toolSpec });
    clock.advance(1_000);
    expect((await answer).body.detail).toContain('event.new is missing');
    expect(await runOf(fn.id)).toMatchObject({ status: 'error', attempt: 2, retryAt: null });
  });

  it('a run whose function is deleted before a retry has failed, and a repeated delivery gets the same answer', async () => {
    const fn = await failing(1);
    const { token } = (await app.call('automations/createWebhook', { functionId: fn.id })).body;
    const path = `/api/automations/functions/webhook/${token}`;
    const deliver = () => app.send('POST', path, '{}', { 'webhook-id': 'evt_deleted' });
    const answer = deliver();
    await attemptsMade(fn.id, 1);
    await app.call('automations/deleteFunction', { id: fn.id });
    clock.advance(1_000);
    const error = 'The function was deleted before it could be tried again.';
    expect(await answer).toMatchObject({ status: 500, body: { success: false, error } });
    const { body } = await app.call('audit/getHistory', { kind: 'function', id: fn.id });
    const { position } = body.events.find(({ command }: { command: string }) => command.endsWith('/deleteFunction'));
    expect((await app.call('audit/undoChange', { position })).status).toBe(200);
    const repeated = await eventually(deliver, ({ status }) => status !== 404);
    expect(repeated).toMatchObject({ status: 500, body: { success: false, error } });
    const runs = (await app.call('automations/listRuns', { functionId: fn.id })).body;
    expect(runs).toMatchObject([{ status: 'error', attempt: 2, error, retryAt: null }]);
  });

  it('a run whose function is deleted before a retry answers its Idempotency-Key with the same failure', async () => {
    const fn = await failing(1);
    const key = await keyOf(app, { kind: 'automation' });
    const headers = { 'idempotency-key': 'run-deleted' };
    const call = () => app.call('automations/invokeFunction', { id: fn.id }, key, headers);
    const first = call();
    await attemptsMade(fn.id, 1);
    await app.call('automations/deleteFunction', { id: fn.id });
    clock.advance(1_000);
    expect(await first).toMatchObject({ status: 422, body: { code: 'function-failed' } });
    expect((await call()).body).toMatchObject({ code: 'function-failed', detail: (await first).body.detail });
  });

  it('0 makes a failing webhook run once', async () => {
    const fn = await failing(0);
    expect((await fire(fn.id)).status).toBe(500);
    expect(await runOf(fn.id)).toMatchObject({ status: 'error', attempt: 1, retryAt: null });
  });

  it('does not apply to a webhook without a waiting caller if no code ran: the function is inactive, or its params do not fit', async () => {
    const inactive = await failing(3);
    const { token } = (await app.call('automations/createWebhook', { functionId: inactive.id })).body;
    await app.call('automations/updateFunction', { id: inactive.id, isActive: false });
    await app.send('POST', `/api/automations/functions/webhook/${token}`, '{}', { prefer: 'respond-async' });
    const unfit = await failing(3);
    await app.call('automations/updateFunction', { id: unfit.id, toolSpec: { inputSchema: { required: ['n'] } } });
    await fire(unfit.id, { prefer: 'respond-async' });
    for (const [{ id }, why] of [
      [inactive, 'target is INACTIVE'],
      [unfit, 'params.n is missing'],
    ] as const) {
      const run = await attemptsMade(id, 1);
      expect(run).toMatchObject({ status: 'error', retryAt: null, error: expect.stringContaining(why) });
    }
  });

  it('a webhook without a waiting caller that finally succeeds is not retried', async () => {
    const fn = await failing(3, 'throw new Error("not yet")');
    expect((await fire(fn.id, { prefer: 'respond-async' })).status).toBe(202);
    await attemptsMade(fn.id, 1);
    const { updatedAt } = (await app.call('automations/getFunction', { id: fn.id })).body;
    await app.call('automations/updateFunction', { id: fn.id, code: 'return 1', seenUpdatedAt: updatedAt });
    clock.advance(1_000);
    expect(await attemptsMade(fn.id, 2)).toMatchObject({ status: 'success', retryAt: null });
    clock.advance(3_600_000);
    expect((await runOf(fn.id)).attempts).toHaveLength(2);
  });

  it('one function waits between its attempts, and others do not wait for it', async () => {
    const slow = await failing(1);
    await fire(slow.id, { prefer: 'respond-async' });
    await attemptsMade(slow.id, 1);
    const other = await failing(0, 'return 1');
    await fire(other.id, { prefer: 'respond-async' });
    expect(await attemptsMade(other.id, 1)).toMatchObject({ status: 'success' });
    expect(await runOf(slow.id)).toMatchObject({ status: 'queued' });
    clock.advance(1_000);
    await attemptsMade(slow.id, 2);
  });

  it('does not apply to a run that a person, an agent or a function started', async () => {
    const agent = (await app.call('workspace/addAgent', { name: 'Bot' })).body;
    const callee = await failing(3);
    const caller = await failing(0, `await ctx.functions.run("${callee.id}")`);
    const agentKey = await keyOf(app, { kind: 'agent', agentId: agent.id });
    await invokeBy(app.ownerKey, callee.id);
    await invokeBy(agentKey, callee.id);
    await invokeBy(app.ownerKey, caller.id);
    const runs = (await app.call('automations/listRuns', { functionId: callee.id })).body;
    expect(runs.map(({ startedBy }: { startedBy: string }) => startedBy)).toEqual([
      'Another function',
      'AI agent Bot',
      'Owner',
    ]);
    for (const run of runs) expect(run).toMatchObject({ status: 'error', attempt: 1, retryAt: null });
  });
});
