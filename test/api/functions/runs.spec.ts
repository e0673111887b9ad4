// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ environment: { SANDBOX_MEMORY_MB: '32' } });
});
afterAll(() => app.close());

let made = 0;
async function create(code: string, more: object = {}) {
  const { status, body } = await app.call('automations/createFunction', { name: `run ${made++}`, code, ...more });
  expect(status).toBe(200);
  return body;
}
const invoke = (id: string, event?: object, headers = {}) =>
  app.call('automations/invokeFunction', { id, ...(event ? { event } : {}) }, app.ownerKey, headers);

describe('invokeFunction', () => {
  it('answers { result, runId, logs }', async () => {
    const fn = await create('console.log("got", params); console.error("bad"); return { a: params.a + 1 }');
    const { status, body } = await invoke(fn.id, { a: 1 });
    expect(status).toBe(200);
    expect(body).toEqual({
      result: { a: 2 },
      runId: expect.stringMatching(/^run_/),
      logs: [
        { at: expect.any(String), level: 'info', text: 'got { a: 1 }' },
        { at: expect.any(String), level: 'error', text: 'bad' },
      ],
    });
    expect((await app.call('automations/getRunLog', { runId: body.runId })).body).toEqual({ lines: body.logs });
  });

  it('runs code in both forms', async () => {
    const body = await create('return [typeof ctx, params.a]');
    const exported = await create('export default async (params, ctx) => [typeof ctx, params.a]');
    expect((await invoke(body.id, { a: 7 })).body.result).toEqual(['object', 7]);
    expect((await invoke(exported.id, { a: 7 })).body.result).toEqual(['object', 7]);
  });

  it('finds a function by id and by exact name, and no name can be the id of another', async () => {
    const fn = await create('return "by name"', { name: 'Exact Name' });
    expect((await invoke('Exact Name')).body.result).toBe('by name');
    expect((await invoke('exact name')).status).toBe(404);
    expect((await invoke('Exact')).status).toBe(404);
    const impostor = await app.call('automations/createFunction', { name: fn.id, code: 'return "impostor"' });
    expect([impostor.status, impostor.body.errors]).toEqual([400, [{ path: 'name', message: expect.any(String) }]]);
    expect((await invoke(fn.id)).body.result).toBe('by name');
  });

  it('leaves logs out if function logs are switched off, and stores none', async () => {
    const fn = await create('console.log("x"); return 1');
    await app.call('workspace/updateSettings', { functionLogs: false });
    const { body } = await invoke(fn.id);
    expect(body).toEqual({ result: 1, runId: expect.any(String) });
    expect((await app.call('automations/getRunLog', { runId: body.runId })).body).toEqual({ lines: [] });
    await app.call('workspace/updateSettings', { functionLogs: true });
  });

  it('answers a failure as an error with details { runId, logs }, and records it', async () => {
    const fn = await create('console.log("before");\nthrow new TypeError("no price")');
    const { status, body } = await invoke(fn.id);
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'function-failed' });
    expect(body.detail).toContain('no price');
    expect(body.details).toEqual({ runId: expect.any(String), logs: [expect.objectContaining({ text: 'before' })] });
    const runs = (await app.call('automations/listRuns', { functionId: fn.id })).body;
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({ id: body.details.runId, status: 'error', error: body.detail });
  });

  it('runs once even with maxRetries', async () => {
    const fn = await create('throw new Error("x")', { maxRetries: 3 });
    await invoke(fn.id);
    const [run] = (await app.call('automations/listRuns', { functionId: fn.id })).body;
    expect(run.attempts).toHaveLength(1);
  });

  it('runs once for a repeated Idempotency-Key, also with a failure', async () => {
    const fn = await create('return Math.random()');
    const first = await invoke(fn.id, {}, { 'idempotency-key': 'inv-1' });
    const again = await invoke(fn.id, {}, { 'idempotency-key': 'inv-1' });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const failing = await create('throw new Error(String(Math.random()))');
    const failed = await invoke(failing.id, {}, { 'idempotency-key': 'inv-2' });
    const failedAgain = await invoke(failing.id, {}, { 'idempotency-key': 'inv-2' });
    expect(failedAgain.body.detail).toBe(failed.body.detail);
    expect((await app.call('automations/listRuns', { functionId: failing.id })).body).toHaveLength(1);
  });

  it("passes the caller's identity to the code", async () => {
    const fn = await create('return ctx.run');
    const { body } = await invoke(fn.id);
    expect(body.result).toEqual({
      id: body.runId,
      startedBy: { kind: 'member', id: expect.any(String), name: 'Owner', role: 'owner', email: expect.any(String) },
    });
  });
});

describe('ctx.functions.run', () => {
  it("runs a function whose runBy permits it, and passes the caller's identity", async () => {
    const callee = await create('return { got: params, by: ctx.run.startedBy }', {
      name: 'callee',
      accessRules: { runBy: { pages: false, functions: 'any', agents: [] } },
    });
    await app.call('automations/updateFunction', { id: callee.id, isActive: true });
    const caller = await create('return ctx.functions.run("callee", { n: 1 })', { name: 'caller' });
    const { body } = await invoke(caller.id);
    expect(body.result.got).toEqual({ n: 1 });
    expect(body.result.by).toEqual({
      kind: 'function',
      id: caller.id,
      name: 'caller',
      behind: expect.objectContaining({ kind: 'member', name: 'Owner' }),
    });
    const [run] = (await app.call('automations/listRuns', { functionId: callee.id })).body;
    expect(run).toMatchObject({ startedBy: 'Another function', source: 'method', status: 'success' });
  });

  it.each([
    ['without runBy', {}, 'run-not-allowed'],
    [
      'with another id listed',
      { accessRules: { runBy: { pages: true, functions: ['fn_other'], agents: 'any' } } },
      'run-not-allowed',
    ],
  ])('is refused to a function %s', async (_, rules, code) => {
    const callee = await create('return 1', rules);
    await app.call('automations/updateFunction', { id: callee.id, isActive: true });
    const caller = await create(`try { await ctx.functions.run("${callee.id}") } catch (error) { return error.code }`);
    expect((await invoke(caller.id)).body.result).toBe(code);
    expect((await app.call('automations/listRuns', { functionId: callee.id })).body).toEqual([]);
  });

  it("is refused on an inactive function: 'target is INACTIVE'", async () => {
    const callee = await create('return 1', { accessRules: { runBy: { pages: false, functions: 'any', agents: [] } } });
    const caller = await create(`return ctx.functions.run("${callee.id}")`);
    expect((await invoke(caller.id)).body.detail).toContain('target is INACTIVE');
    const catching = `try { await ctx.functions.run("${callee.id}") } catch (error) { return [error.code, error.status] }`;
    expect((await invoke((await create(catching)).id)).body.result).toEqual(['target-inactive', 409]);
  });

  it.each(['ctx.functions.run()', 'ctx.functions.run("callee", 7)', 'ctx.functions.run({})'])(
    'refuses %s with an error message',
    async (call) => {
      const caller = await create(`try { await ${call} } catch (error) { return [error.code, error.status] }`);
      expect((await invoke(caller.id)).body.result).toEqual(['invalid-input', 400]);
    },
  );
});

describe('listRuns and getRunLog', () => {
  it('lists newest first, in pages', async () => {
    const fn = await create('return 1');
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift((await invoke(fn.id)).body.runId);
    const list = (more: object) => app.call('automations/listRuns', { functionId: fn.id, ...more });
    expect((await list({})).body.map((run: { id: string }) => run.id)).toEqual(ids);
    const page = (await list({ limit: 2, before: ids[1] })).body;
    expect(page.map((run: { id: string }) => run.id)).toEqual(ids.slice(2, 4));
    expect(page[0]).toEqual({
      id: ids[2],
      functionId: fn.id,
      functionName: fn.name,
      scheduleId: null,
      version: fn.liveVersionId,
      source: 'manual',
      status: 'success',
      startedBy: 'Owner',
      startedAt: expect.any(String),
      finishedAt: expect.any(String),
      durationMs: expect.any(Number),
      error: null,
      attempt: 1,
      attempts: [expect.objectContaining({ number: 1, error: null })],
      retryAt: null,
      replayOf: null,
      replayedBy: null,
      replays: [],
      replayableUntil: null,
    });
  });

  it('refuses before if older runs are switched off', async () => {
    const fn = await create('return 1');
    const { runId } = (await invoke(fn.id)).body;
    await app.call('workspace/updateSettings', { runsTab: false });
    const { status, body } = await app.call('automations/listRuns', { functionId: fn.id, before: runId });
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'older-runs-off' });
    await app.call('workspace/updateSettings', { runsTab: true });
  });

  it('keeps listing the runs of a deleted function', async () => {
    const fn = await create('return 1');
    const { runId } = (await invoke(fn.id)).body;
    await app.call('automations/deleteFunction', { id: fn.id });
    const { body } = await app.call('automations/listRuns', { functionId: fn.id });
    expect(body.map((run: { id: string }) => run.id)).toEqual([runId]);
  });

  it('shows which version ran', async () => {
    const fn = await create('return 1');
    await invoke(fn.id);
    await app.call('workspace/updateSettings', { versions: false });
    const changed = await app.call('automations/updateFunction', {
      id: fn.id,
      code: 'return 2',
      seenUpdatedAt: fn.updatedAt,
    });
    await invoke(fn.id);
    const { body } = await app.call('automations/listRuns', { functionId: fn.id });
    expect(body.map((run: { version: string }) => run.version)).toEqual([changed.body.liveVersionId, fn.liveVersionId]);
  });

  it('answers 404 for unknown ids', async () => {
    expect((await app.call('automations/listRuns', { functionId: 'fn_none' })).body.code).toBe('function-not-found');
    expect((await app.call('automations/getRunLog', { runId: 'run_none' })).body.code).toBe('run-not-found');
  });
});

describe('hostile code fails its own run with one plain error message, and the service continues', () => {
  const deadly: readonly (readonly [string, string])[] = [
    ['throws', 'throw new Error("x")'],
    ['throws nothing', 'throw undefined'],
    ['allocates without end', 'const all = []; for (;;) all.push(new Array(1e6).fill(1))'],
    ['recurses', 'const f = () => f() + 1; return f()'],
    ['returns a circle', 'const a = {}; a.a = a; return a'],
    ['returns a BigInt', 'return 1n'],
    ['returns too much', 'return "x".repeat(2e6)'],
    ['calls process', 'process.exit(1)'],
    ['calls require', 'require("fs")'],
    ['evaluates its way out', '({}).constructor.constructor("return process")().exit()'],
    ['evaluates', 'eval("process.exit()")'],
  ];

  async function failsAlone(id: string): Promise<string> {
    const good = await create('return "fine"');
    const [failed, meanwhile] = await Promise.all([invoke(id), invoke(good.id)]);
    expect(failed.status).toBe(422);
    expect(failed.body.detail).toMatch(/^[^\n]{1,1200}$/);
    expect(failed.body.detail).not.toMatch(/\/(dist|src|node_modules)\/|node:internal|at .*:\d+:\d+/);
    expect(meanwhile.body.result).toBe('fine');
    expect((await invoke(good.id)).body.result).toBe('fine');
    const [run] = (await app.call('automations/listRuns', { functionId: id })).body;
    expect(run).toMatchObject({ status: 'error', error: failed.body.detail });
    return failed.body.detail;
  }

  it.each(deadly)('hostile code fails its own run: %s', async (_, code) => {
    await failsAlone((await create(code)).id);
  });

  it('hostile code fails its own run: loops or never settles, and ends at the set timeout, which the error names', async () => {
    const endless = async (code: string) => {
      const { id } = await create(code);
      await app.call('automations/updateFunction', { id, timeout: 1_000 });
      return failsAlone(id);
    };
    const details = await Promise.all(['for (;;) {}', 'await new Promise(() => {})'].map(endless));
    expect(details).toEqual(Array(2).fill('The function ran longer than its timeout of 1000 ms.'));
  });

  it('floods the log: the run continues and the log is limited', async () => {
    const fn = await create('for (let i = 0; i < 100000; i++) console.log("line " + i); return "done"');
    const { body } = await invoke(fn.id);
    expect(body.result).toBe('done');
    expect(JSON.stringify(body.logs).length).toBeLessThan(4 * 256 * 1024);
    expect(body.logs.length).toBeLessThan(100_000);
  });
});

describe('the bounds of maxRetries and timeout', () => {
  it.each([
    [{ maxRetries: 0 }, 200],
    [{ maxRetries: 5 }, 200],
    [{ maxRetries: 6 }, 400],
    [{ maxRetries: -1 }, 400],
    [{ maxRetries: 1.5 }, 400],
    [{ timeout: 999 }, 400],
    [{ timeout: 1_000 }, 200],
    [{ timeout: 300_000 }, 200],
    [{ timeout: 300_001 }, 400],
    [{ timeout: '1000' }, 400],
  ])('%j in an update answers %i, and is stored only with 200', async (wanted, expected) => {
    const fn = await create('return 1');
    expect(fn).toMatchObject({ maxRetries: 0, timeout: 30_000 });
    const { status, body } = await app.call('automations/updateFunction', { id: fn.id, ...wanted });
    expect(status).toBe(expected);
    const now = (await app.call('automations/getFunction', { id: fn.id })).body;
    expect(now).toMatchObject(expected === 200 ? wanted : { maxRetries: 0, timeout: 30_000 });
    if (expected === 400) expect(body.errors).toEqual([{ path: Object.keys(wanted)[0], message: expect.any(String) }]);
  });
});
