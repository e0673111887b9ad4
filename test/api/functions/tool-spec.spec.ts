import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FunctionRuns } from '../../../src/areas/functions/run/function-runs.api.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf } from '../../support/people.js';
import { checkingThreads } from '../../support/stores/threads.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await app.call('workspace/updateSettings', { versions: false });
});
afterAll(() => app.close());

const order = {
  type: 'object',
  required: ['customer', 'items'],
  properties: {
    customer: { type: 'string', minLength: 1 },
    items: { type: 'array', items: { $ref: '#/$defs/item' } },
  },
  additionalProperties: false,
  $defs: { item: { type: 'object', required: ['sku'], properties: { quantity: { type: 'integer', minimum: 1 } } } },
};
const good = { customer: 'Ada', items: [{ sku: 'a', quantity: 2 }] };
const bad = { customer: '', items: [{ quantity: 0 }], secret: 'hunter2' };
const endless = { properties: { text: { pattern: '^(a+)+$' } } };
const text = `${'a'.repeat(50)}!`;

let made = 0;
async function active(inputSchema: object, more: object = {}) {
  const fn = await done(app, 'automations/createFunction', {
    name: `tool ${made++}`,
    code: 'return params',
    toolSpec: { inputSchema },
    accessRules: { runBy: { pages: false, functions: 'any', agents: 'any' } },
    ...more,
  });
  await done(app, 'automations/updateFunction', { id: fn.id, isActive: true });
  return fn;
}

async function hooked(inputSchema: object, more: object = {}) {
  const fn = await active(inputSchema, more);
  const { token } = await done(app, 'automations/createWebhook', { functionId: fn.id });
  const path = `/api/automations/functions/webhook/${token}`;
  const fire = (body: object, headers = {}) =>
    app.send('POST', path, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
  return { fn, fire };
}

const invoke = (id: string, event: object, key = app.ownerKey, headers = {}) =>
  app.call('automations/invokeFunction', { id, event }, key, headers);
const runsOf = (functionId: string) => done(app, 'automations/listRuns', { functionId });

describe('a service without any input schema', () => {
  it('starts no thread for checking schemas', async () => {
    const { fn, fire } = await hooked({});
    const plain = await active({}, { toolSpec: undefined });
    expect((await invoke(fn.id, { any: 1 })).status).toBe(200);
    expect((await invoke(plain.id, { any: 1 })).status).toBe(200);
    expect((await fire({ any: 1 })).status).toBe(200);
    expect(checkingThreads()).toBe(0);
    await invoke((await active(order)).id, good);
    expect(checkingThreads()).toBe(1);
  });
});

describe('a toolSpec on save', () => {
  it.each([
    ['a malformed schema', { inputSchema: { type: 'text' } }, 'toolSpec.inputSchema.type'],
    [
      'another dialect',
      { inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#' } },
      'toolSpec.inputSchema.$schema',
    ],
    [
      'a reference to another document',
      { inputSchema: {}, outputSchema: { $ref: 'https://example.org/' } },
      'toolSpec.outputSchema.$ref',
    ],
    ['more than 64 KB', { inputSchema: { description: 'x'.repeat(65_536) } }, 'toolSpec.inputSchema'],
    ['another kind', { inputSchema: {}, kind: 'delete' }, 'toolSpec.kind'],
    ['other returns', { inputSchema: {}, returns: 'rows' }, 'toolSpec.returns'],
    ['sideEffects in words', { inputSchema: {}, sideEffects: 'none' }, 'toolSpec.sideEffects'],
  ])('is refused with %s, at creation and in an update, and nothing is saved', async (_, toolSpec, path) => {
    const created = await app.call('automations/createFunction', { name: 'refused', toolSpec });
    const fn = await active(order);
    const updated = await app.call('automations/updateFunction', { id: fn.id, toolSpec });
    for (const { status, body } of [created, updated]) {
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid-input' });
      expect(body.errors).toEqual([{ path, message: expect.stringMatching(/^(must|is) /) }]);
    }
    expect((await done(app, 'automations/getFunction', { id: fn.id })).toolSpec).toEqual({ inputSchema: order });
    const names = (await done(app, 'automations/listFunctions')).map(({ name }: { name: string }) => name);
    expect(names).not.toContain('refused');
  });

  it('is stored as it was sent, read again, and removed by null', async () => {
    const toolSpec = {
      inputSchema: order,
      outputSchema: { type: 'object' },
      returns: 'record',
      sideEffects: true,
      kind: 'write',
    };
    const fn = await active({}, { toolSpec });
    expect((await done(app, 'automations/getFunction', { id: fn.id })).toolSpec).toEqual(toolSpec);
    await done(app, 'automations/updateFunction', { id: fn.id, toolSpec: null });
    expect((await done(app, 'automations/getFunction', { id: fn.id })).toolSpec).toBeNull();
    expect((await invoke(fn.id, bad)).status).toBe(200);
  });

  it('is no change if it equals the present one', async () => {
    const toolSpec = { inputSchema: { type: 'object' } };
    const { id } = await done(app, 'automations/createFunction', { name: 'same', code: 'return 1', toolSpec });
    const { updatedAt: seenUpdatedAt } = await done(app, 'automations/getFunction', { id });
    expect((await done(app, 'automations/updateFunction', { id, toolSpec, seenUpdatedAt })).draft).toBeNull();
  });
});

describe('params of invokeFunction', () => {
  it('that fit are passed', async () => {
    const fn = await active(order);
    expect((await invoke(fn.id, good)).body.result).toEqual(good);
  });

  it('that do not fit are refused with all faults, and nothing is run', async () => {
    const fn = await active(order, { name: 'strict' });
    const { status, body } = await invoke(fn.id, bad);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'params-invalid' });
    expect(body.detail).toBe(
      "The function 'strict' was not run, because its params do not fit its inputSchema: event.customer must have at least 1 character (and 3 more).",
    );
    expect(body.errors).toEqual([
      { path: 'event.customer', message: 'must have at least 1 character' },
      { path: 'event.items[0].sku', message: 'is missing' },
      { path: 'event.items[0].quantity', message: 'must be at least 1' },
      { path: 'event.secret', message: 'is not allowed' },
    ]);
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(await runsOf(fn.id)).toEqual([]);
  });

  it('default to an empty object', async () => {
    const fn = await active(order);
    const { body } = await app.call('automations/invokeFunction', { id: fn.id });
    expect(body.errors).toContainEqual({ path: 'event.customer', message: 'is missing' });
  });

  it('are refused equally to agents, automations and flows, and the Idempotency-Key remains unused', async () => {
    const fn = await active(order, { maxRetries: 2 });
    const { id: agentId } = await done(app, 'workspace/addAgent', { name: 'Bot' });
    for (const wanted of [{ kind: 'agent', agentId }, { kind: 'automation' }, { kind: 'flow' }]) {
      const key = await keyOf(app, wanted);
      const headers = { 'idempotency-key': `params ${wanted.kind}` };
      expect((await invoke(fn.id, bad, key, headers)).body.code).toBe('params-invalid');
      expect((await invoke(fn.id, good, key, headers)).body.result).toEqual(good);
    }
    expect(await runsOf(fn.id)).toHaveLength(3);
  });

  it('are refused if the check would not end, and the next call is served', async () => {
    const fn = await active(endless, { name: 'endless' });
    const { status, body } = await invoke(fn.id, { text });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'params-check-given-up' });
    expect(body.detail).toContain("'endless' was not run");
    expect(await runsOf(fn.id)).toEqual([]);
    expect((await invoke(fn.id, { text: 'aaa' })).status).toBe(200);
  });
});

describe('params of ctx.functions.run', () => {
  it('that do not fit are an error to the calling code, and nothing is run', async () => {
    const callee = await active(order, { name: 'callee' });
    const caller = await active(
      {},
      {
        code: 'try { return await ctx.functions.run("callee", params) } catch (e) { return [e.code, e.status, e.message] }',
      },
    );
    expect((await invoke(caller.id, good)).body.result).toEqual(good);
    const [code, status, message] = (await invoke(caller.id, bad)).body.result;
    expect([code, status]).toEqual(['params-invalid', 400]);
    expect(message).toContain('params.customer must have at least 1 character (and 3 more)');
    expect(await runsOf(callee.id)).toHaveLength(1);
  });
});

describe('params of a webhook', () => {
  it('that fit are passed, and the request data need not be in the schema', async () => {
    const { fire } = await hooked(order);
    const { status, body } = await fire(good);
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...good, _request: expect.objectContaining({ method: 'POST' }) });
  });

  it('that do not fit make a failed run without retries, which names the first fault', async () => {
    const { fn, fire } = await hooked(order, { name: 'hooked', maxRetries: 3 });
    const { status, body, headers } = await fire(bad);
    const error =
      "The function 'hooked' was not run, because its params do not fit its inputSchema: params.customer must have at least 1 character (and 3 more).";
    expect({ status, body }).toEqual({ status: 500, body: { success: false, error } });
    const [run, ...others] = await runsOf(fn.id);
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      id: headers.get('x-run-id'),
      status: 'error',
      error,
      attempt: 1,
      retryAt: null,
      durationMs: 0,
    });
    expect(run.attempts).toHaveLength(1);
  });

  it('that were accepted for later fail in the same way', async () => {
    const { fn, fire } = await hooked(order, { maxRetries: 3 });
    const { status, body } = await fire(bad, { prefer: 'respond-async' });
    expect(status).toBe(202);
    const [run] = await eventually(
      () => runsOf(fn.id),
      ([first]) => first?.status === 'error',
    );
    expect(run).toMatchObject({ id: body.runId, attempt: 1, retryAt: null });
    expect(run.error).toContain('params.customer must have at least 1 character');
  });

  it('fail in the same way for other runs without a waiting caller', async () => {
    const fn = await active(order, { maxRetries: 3 });
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const who = { kind: 'automation', id: 'key_1', name: 'Nightly' } as const;
    const origin = { runId: 'run_accepted', correlationId: 'c', causationId: null, depth: 0 };
    await app.app
      .get(FunctionRuns, { strict: false })
      .accept({ ...origin, workspaceId, functionId: fn.id, params: bad, source: 'api', starter: who, actor: who });
    const [run] = await eventually(
      () => runsOf(fn.id),
      ([first]) => first?.status === 'error',
    );
    expect(run).toMatchObject({ id: 'run_accepted', attempt: 1, retryAt: null });
  });

  it('fail if the check would not end, and the failed run says so', async () => {
    const { fn, fire } = await hooked(endless);
    expect((await fire({ text })).body.error).toContain('takes too much work');
    expect((await runsOf(fn.id))[0]).toMatchObject({ status: 'error', attempt: 1 });
  });

  it('are not checked while the function is inactive', async () => {
    const { fn, fire } = await hooked(order);
    await done(app, 'automations/updateFunction', { id: fn.id, isActive: false });
    expect((await fire(bad)).body.error).toContain('target is INACTIVE');
  });
});

describe('stopping the service', () => {
  it('ends the threads', async () => {
    const fn = await active(order);
    await invoke(fn.id, good);
    expect(checkingThreads()).toBe(1);
    await app.close();
    expect(checkingThreads()).toBe(0);
  });
});
