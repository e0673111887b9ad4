// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { siteFunctions } from '../../../src/areas/functions/function/function.record.js';
import { OperatorPlans } from '../../../src/areas/workspace/workspace/operator-plans.api.js';
import type { TestApp } from '../../support/app.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { recordedBefore } from '../../support/stores/recorded-before.js';

let app: TestApp;
let projectId: string;
beforeAll(async () => {
  app = await sharedApp();
  // With versions off, saves are live at once. Drafts have a spec of their own.
  await done(app, 'workspace/updateSettings', { versions: false });
});
afterAll(() => app.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Functions' })).id;
});

const call = (operation: string, body: object, key?: string) => app.call(`site/${operation}`, body, key);
const create = (body: object = {}, key?: string) =>
  done(app, 'site/createBackendFunction', { projectId, name: 'greet', code: 'return 1', ...body }, key);
const get = (functionId: string) => done(app, 'site/getBackendFunction', { projectId, functionId });
const list = () => done(app, 'site/listBackendFunctions', { projectId });
const invoke = (functionName: string, params?: object, key?: string) =>
  call('invokeBackendFunction', { projectId, functionName, ...(params ? { params } : {}) }, key);
const answer = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.code];
};

describe('createBackendFunction', () => {
  it('answers the whole function, active, with the contract defaults', async () => {
    const fn = await create();
    expect(fn).toEqual({
      id: expect.stringMatching(/^fn_[0-9a-z]{26}$/),
      projectId,
      name: 'greet',
      kind: 'code',
      description: '',
      code: 'return 1',
      definition: null,
      accessRules: { execute: null, runBy: { pages: 'any', functions: [], agents: [] } },
      toolSpec: null,
      isTool: false,
      runAs: null,
      timeout: 30_000,
      maxRetries: 0,
      exposed: false,
      isActive: true,
      connections: [],
      liveVersionId: expect.stringMatching(/^ver_/),
      draft: null,
      capabilities: [],
      identityMode: 'as_set_up',
      secrets: [],
      version: expect.stringMatching(/^[0-9a-f]{32}$/),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(await get(fn.id)).toEqual({ ...fn, accessRuleUses: [], keepFixingUntil: null });
  });

  it('stores the sent fields', async () => {
    const sent = {
      description: 'Greets.',
      timeout: 1_000,
      maxRetries: 3,
      exposed: true,
      toolSpec: { inputSchema: { type: 'object' }, returns: 'record', sideEffects: false, kind: 'read' },
      accessRules: {
        execute: { type: 'authenticated' },
        runBy: { pages: ['page_1'], functions: 'any', agents: ['agent_1'] },
      },
    };
    const fn = await create(sent);
    expect(fn).toMatchObject({ ...sent, isTool: true });
  });

  it('denies everyone by an omitted part of runBy', async () => {
    const { accessRules } = await create({ accessRules: { runBy: { functions: 'any' } } });
    expect(accessRules.runBy).toEqual({ pages: [], functions: 'any', agents: [] });
  });

  it('is refused on a free plan with 403 plan-limit and the upgrade link, while updates still work there', async () => {
    const { ownerKey, workspaceId } = await otherWorkspace(app);
    const plans = app.app.get(OperatorPlans, { strict: false });
    await done(app, 'workspace/updateSettings', { versions: false }, ownerKey);
    const { id } = await done(app, 'site/createProject', { name: 'Free' }, ownerKey);
    const fn = await create({ projectId: id }, ownerKey);
    await plans.set(workspaceId, 'free');
    const reply = await call('createBackendFunction', { projectId: id, name: 'second' }, ownerKey);
    expect([reply.status, reply.body.code, reply.body.upgradeUrl]).toEqual([
      403,
      'plan-limit',
      expect.stringMatching(/^http/),
    ]);
    const change = { projectId: id, functionId: fn.id, code: 'return 2' };
    expect((await call('updateBackendFunction', change, ownerKey)).status).toBe(200);
    const ran = await call('invokeBackendFunction', { projectId: id, functionName: 'greet' }, ownerKey);
    expect(ran.body.data).toBe(2);
  });

  it('requires a unique name in the project, also from simultaneous calls, independent of other projects', async () => {
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => call('createBackendFunction', { projectId, name: 'one' })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(409)]);
    const other = (await done(app, 'site/createProject', { name: 'Other' })).id;
    expect((await create({ projectId: other, name: 'one' })).name).toBe('one');
    expect(await answer(call('createBackendFunction', { projectId, name: 'one' }))).toEqual([
      409,
      'function-name-taken',
    ]);
  });

  it.each([
    ['an import', { code: 'import fs from "fs"' }, 'code-import'],
    ['a syntax error', { code: 'return (' }, 'code-invalid'],
    ['a timeout below 1000', { timeout: 999 }, 'invalid-input'],
    ['a timeout above 300000', { timeout: 300_001 }, 'invalid-input'],
    ['more than 5 retries', { maxRetries: 6 }, 'invalid-input'],
    ['a name with the form of an id', { name: `fn_${'0'.repeat(26)}` }, 'invalid-input'],
    ['a toolSpec that returns something else', { toolSpec: { inputSchema: {}, returns: 'rows' } }, 'invalid-input'],
    ['side effects that are no boolean', { toolSpec: { inputSchema: {}, sideEffects: 1 } }, 'invalid-input'],
    ['a kind that is none', { toolSpec: { inputSchema: {}, kind: 'admin' } }, 'invalid-input'],
    ['a schema that is none', { toolSpec: { inputSchema: { type: 'nothing' } } }, 'invalid-input'],
    ['runBy of something else', { accessRules: { runBy: { pages: 'all' } } }, 'invalid-input'],
    ...['creator', 'field_match', 'relationship', 'email'].map((type): [string, object, string] => [
      `the row rule ${type}`,
      { accessRules: { execute: { type, field: 'a', property: 'b', path: 'c' } } },
      'invalid-input',
    ]),
  ])('refuses a backend function with %s', async (_, wrong, code) => {
    const reply = await call('createBackendFunction', { projectId, name: 'wrong', ...wrong });
    expect([reply.status, reply.body.code]).toEqual([400, code]);
    expect(await list()).toEqual([]);
  });
});

describe('listBackendFunctions', () => {
  it('lists those of the project, oldest first, with the keys of the contract', async () => {
    const [first, second] = [await create({ name: 'a' }), await create({ name: 'b' })];
    const rows = await list();
    expect(rows.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id]);
    expect(Object.keys(rows[0]).sort()).toEqual(
      ['id', 'name', 'kind', 'description', 'code', 'definition', 'accessRules', 'timeout', 'isActive'].sort(),
    );
  });

  it('leaves out workspace functions, and their list leaves out these', async () => {
    const fn = await create();
    const { id } = await done(app, 'automations/createFunction', { name: 'account' });
    expect((await list()).map((row: { id: string }) => row.id)).toEqual([fn.id]);
    expect((await app.call('automations/getFunction', { id: fn.id })).status).toBe(404);
    expect(await answer(call('getBackendFunction', { projectId, functionId: id }))).toEqual([
      404,
      'site-function-not-found',
    ]);
  });
});

describe('getBackendFunction', () => {
  it('lists the places whose access rule asks the function', async () => {
    const gate = await create({ name: 'gate' });
    const rule = { type: 'function', functionId: gate.id };
    const guarded = await create({ name: 'guarded', accessRules: { execute: { all: [{ not: rule }] } } });
    expect((await get(gate.id)).accessRuleUses).toEqual([{ place: 'function', id: guarded.id, name: 'guarded' }]);
    expect((await get(guarded.id)).accessRuleUses).toEqual([]);
  });

  it('finds a function through its own site only', async () => {
    const fn = await create();
    const other = (await done(app, 'site/createProject', { name: 'Other' })).id;
    const named = { projectId: other, functionId: fn.id };
    for (const [operation, more] of [
      ['getBackendFunction', {}],
      ['updateBackendFunction', { code: 'return 2' }],
      ['deleteBackendFunction', {}],
      ['listBackendFunctionVersions', {}],
      ['setFunctionCapabilities', { remove: ['env'] }],
      ['setFunctionSecrets', { secrets: [] }],
    ] as const) {
      const { status, body } = await call(operation, { ...named, ...more });
      expect([operation, status, body.detail]).toEqual([operation, 404, expect.stringContaining('Function not found')]);
    }
    expect(await get(fn.id)).toMatchObject({ code: 'return 1' });
  });

  it('is closed to another workspace', async () => {
    const fn = await create();
    const { ownerKey } = await otherWorkspace(app);
    expect(await answer(call('getBackendFunction', { projectId, functionId: fn.id }, ownerKey))).toEqual([
      404,
      'site-not-found',
    ]);
  });
});

describe('updateBackendFunction', () => {
  it('changes sent fields and keeps the rest', async () => {
    const fn = await create({ description: 'Old.' });
    const sent = { name: 'hello', code: 'return 2', timeout: 2_000, maxRetries: 1, exposed: true, isActive: false };
    const after = await done(app, 'site/updateBackendFunction', { projectId, functionId: fn.id, ...sent });
    expect(after).toMatchObject({ ...sent, description: 'Old.', id: fn.id });
    expect(after.updatedAt > fn.updatedAt).toBe(true);
  });

  it('needs no seenUpdatedAt, but refuses an outdated one', async () => {
    const fn = await create();
    const update = (more: object) => call('updateBackendFunction', { projectId, functionId: fn.id, ...more });
    expect((await update({ code: 'return 2' })).status).toBe(200);
    expect(await answer(update({ code: 'return 3', seenUpdatedAt: fn.updatedAt }))).toEqual([
      409,
      'function-changed-since',
    ]);
    expect((await get(fn.id)).code).toBe('return 2');
  });

  it('toolSpec null removes it', async () => {
    const fn = await create({ toolSpec: { inputSchema: { type: 'object' } } });
    const after = await done(app, 'site/updateBackendFunction', { projectId, functionId: fn.id, toolSpec: null });
    expect([after.toolSpec, after.isTool]).toEqual([null, false]);
  });

  it('may keep or remove connections of an earlier version, but refuses an unknown one (Q-G28)', async () => {
    const fn = await create();
    const held = [{ id: 'con_1', tools: ['read'] }, { id: 'con_2' }];
    await recordedBefore(app, siteFunctions, fn.id, ({ grants, liveVersionId: versionId }) => ({
      type: 'FunctionDefinitionChanged' as const,
      data: { grants: { ...grants, connections: held }, versionId, linesChanged: 0 },
    }));
    const update = (connections: object[], key?: string) =>
      call('updateBackendFunction', { projectId, functionId: fn.id, connections }, key);
    expect((await update(held)).body.connections).toEqual(held);
    const { status, body } = await update([{ id: 'con_1' }, { id: 'con_3' }]);
    const message = 'must be the id of a connection of this workspace; listMcpConnections lists them';
    expect([status, body.errors]).toEqual([400, [{ path: 'connections[1].id', message }]]);
    expect(await answer(update([{ id: 'service' }]))).toEqual([400, 'invalid-input']);
    const automation = await keyOf(app, { kind: 'automation' });
    expect(await answer(update([{ id: 'con_1' }], automation))).toEqual([403, 'automation-may-not-change']);
    expect((await update([])).body.connections).toEqual([]);
    expect(await answer(update([{ id: 'con_1' }]))).toEqual([400, 'invalid-input']);
  });

  it('with Full data access, a change waits for a card, which a person applies', async () => {
    const fn = await create();
    const seenVersion = (await get(fn.id)).version;
    const asked = await call('setFunctionCapabilities', {
      projectId,
      functionId: fn.id,
      capabilities: ['service'],
      seenVersion,
    });
    expect([asked.status, asked.body.capabilities]).toEqual([202, []]);
    const apply = ({ body }: typeof asked) =>
      done(app, 'approvals/approvePendingChange', { id: body.pendingChange.id, hash: body.pendingChange.hash });
    await apply(asked);
    expect((await get(fn.id)).capabilities).toEqual(['service']);
    const saved = await call('updateBackendFunction', {
      projectId,
      functionId: fn.id,
      code: 'return 2',
      timeout: 2_000,
    });
    expect([saved.status, saved.body.code]).toEqual([202, 'return 1']);
    expect(saved.body.pendingChange.changes.map(({ path }: { path: string }) => path).sort()).toEqual([
      'code',
      'timeout',
    ]);
    await apply(saved);
    expect(await get(fn.id)).toMatchObject({ code: 'return 2', timeout: 2_000 });
  });
});

describe('deleteBackendFunction', () => {
  it('deletes it for good, and frees its name', async () => {
    const fn = await create();
    expect(await done(app, 'site/deleteBackendFunction', { projectId, functionId: fn.id })).toEqual({ success: true });
    expect(await list()).toEqual([]);
    expect((await create()).id).not.toBe(fn.id);
  });

  it('is implied by the deletion of the project', async () => {
    const fn = await create();
    await done(app, 'site/deleteProject', { id: projectId });
    expect(await answer(call('getBackendFunction', { projectId, functionId: fn.id }))).toEqual([404, 'site-not-found']);
  });
});

describe('invokeBackendFunction', () => {
  it('answers success, data, executionTime and, with function logs, its output', async () => {
    await create({ code: 'console.log("hi"); return params.a + 1' });
    const { status, body } = await invoke('greet', { a: 1 });
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        data: 2,
        executionTime: expect.any(Number),
        runId: expect.stringMatching(/^run_/),
        logs: [expect.objectContaining({ text: 'hi' })],
      },
    ]);
    await done(app, 'workspace/updateSettings', { functionLogs: false });
    expect((await invoke('greet', { a: 1 })).body).not.toHaveProperty('logs');
    await done(app, 'workspace/updateSettings', { functionLogs: true });
  });

  it("fails with the function's own message", async () => {
    await create({ code: 'throw new Error("No such order.")' });
    const { status, body } = await invoke('greet');
    expect([status, body.code, body.detail]).toEqual([422, 'function-failed', 'No such order. (line 1)']);
  });

  it('finds the function by name and not by id', async () => {
    const fn = await create();
    expect(await answer(invoke(fn.id))).toEqual([404, 'site-function-not-found']);
    expect(await answer(invoke('nobody'))).toEqual([404, 'site-function-not-found']);
  });

  it('runs as the owner, whatever the execute rule for visitors', async () => {
    await create({ accessRules: { execute: [] } });
    expect((await invoke('greet')).body.data).toBe(1);
  });

  it('an inactive function is refused: target is INACTIVE', async () => {
    const fn = await create();
    await done(app, 'site/updateBackendFunction', { projectId, functionId: fn.id, isActive: false });
    const { status, body } = await invoke('greet');
    expect([status, body.code, body.detail]).toEqual([
      409,
      'target-inactive',
      expect.stringContaining('target is INACTIVE'),
    ]);
  });

  it('validates params with the schema', async () => {
    await create({
      toolSpec: { inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } },
    });
    const { status, body } = await invoke('greet', { a: 'x' });
    expect([status, body.code, body.errors[0].path]).toEqual([400, 'params-invalid', 'params.a']);
  });

  it('does not run twice for one idempotency key', async () => {
    await create({ code: 'return Math.random()' });
    const headers = { 'Idempotency-Key': 'once' };
    const body = { projectId, functionName: 'greet' };
    const [first, second] = [
      await app.call('site/invokeBackendFunction', body, undefined, headers),
      await app.call('site/invokeBackendFunction', body, undefined, headers),
    ];
    expect(second.body).toEqual(first.body);
  });

  it('requires an Editor: Viewers and read-only keys are refused', async () => {
    await create();
    const { key } = await person(app, 'viewer');
    const readOnly = await keyOf(app, { kind: 'automation', readOnly: true });
    expect([(await invoke('greet', {}, key)).status, (await invoke('greet', {}, readOnly)).status]).toEqual([403, 403]);
    expect((await call('listBackendFunctions', { projectId }, key)).status).toBe(200);
  });
});
