// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { closeMcpClients, mcpClient } from '../../support/mcp/client.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
  await app.call('workspace/updateSettings', { versions: false });
});
afterAll(async () => {
  await closeMcpClients();
  await app.close();
});

const adds = {
  code: 'return { total: params.a + params.b }',
  toolSpec: {
    inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
    kind: 'read',
  },
};

async function tool(name: string, more: object = {}) {
  const fn = await done(app, 'automations/createFunction', { name, ...adds, ...more });
  return done(app, 'automations/updateFunction', { id: fn.id, isActive: true });
}

describe('tools of an MCP client', () => {
  it('BF-10: are the functions with a toolSpec, of the workspace and of sites', async () => {
    const fn = await tool('Order total');
    const site = await done(app, 'site/createProject', { name: 'Shop' });
    await done(app, 'site/createBackendFunction', { projectId: site.id, name: 'site total', ...adds });
    const { client, names, done: used } = await mcpClient(app);
    const { tools } = await client.listTools();
    const shown = tools.find(({ name }) => name === 'function_order-total');
    expect(shown).toMatchObject({
      title: 'Order total',
      inputSchema: adds.toolSpec.inputSchema,
      annotations: { readOnlyHint: true, destructiveHint: false },
    });
    expect(await used('function_order-total', { a: 1, b: 2 })).toEqual({ total: 3 });
    expect(await used('function_site-total', { a: 2, b: 2 })).toEqual({ total: 4 });
    await done(app, 'automations/updateFunction', { id: fn.id, toolSpec: null });
    expect(await names()).not.toContain('function_order-total');
  });

  it('keep their names when functions are renamed, and equal ones get a part of the id', async () => {
    const first = await tool('Same name!');
    const second = await tool('same NAME');
    const piece = `function_same-name_${second.id.slice(-8)}`;
    const { names, done: used } = await mcpClient(app);
    expect(await names()).toEqual(expect.arrayContaining(['function_same-name', piece]));
    await done(app, 'automations/updateFunction', { id: second.id, name: 'Another' });
    expect(await used(piece, { a: 1, b: 1 })).toEqual({ total: 2 });
    await done(app, 'automations/deleteFunction', { id: first.id });
    expect((await names()).filter((name) => name.startsWith('function_same-name'))).toEqual([piece]);
  });

  it('are the operations that the key may call, with hints, except those of approvals, keys and secrets', async () => {
    const { client } = await mcpClient(app);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name))).toEqual([]);
    expect(names).toEqual(
      expect.arrayContaining(['site_createProject', 'workspace_updateSettings', 'audit_getHistory']),
    );
    expect(
      names.filter((name) => /^approvals_|ApiKey|EnvVar|FunctionSecrets|FlowSecrets|MailAccount$/.test(name)),
    ).toEqual(['automations_deleteMailAccount', 'automations_testMailAccount']);
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    expect(hints['automations_listFunctions']).toEqual({ readOnlyHint: true, destructiveHint: false });
    expect(hints['automations_deleteFunction']).toEqual({ readOnlyHint: false, destructiveHint: true });
    expect(hints['automations_createFunction']).toEqual({ readOnlyHint: false, destructiveHint: false });
  });

  it('follow the rights of the key, and its read-only and never-deletes settings', async () => {
    await tool('by rights');
    const viewer = await person(app, 'viewer');
    const reading = await keyOf(app, { kind: 'connection', readOnly: true });
    const keeping = await keyOf(app, { kind: 'connection', neverDeletes: true });
    for (const key of [viewer.key, reading]) {
      const names = await (await mcpClient(app, key)).names();
      expect(names).toContain('automations_listFunctions');
      expect(names).not.toContain('automations_createFunction');
      expect(names).not.toContain('function_by-rights');
    }
    const { names, call } = await mcpClient(app, keeping);
    expect(await names()).toContain('automations_createFunction');
    expect(await names()).not.toContain('automations_deleteFunction');
    await expect(call('automations_deleteFunction', { id: 'fn_x' })).rejects.toThrow(/no tool/);
    await expect(call('approvals_listPendingChanges')).rejects.toThrow(/no tool/);
  });

  it("are only those of the caller's workspace", async () => {
    await tool('not for others');
    const { ownerKey } = await otherWorkspace(app);
    const { names, call } = await mcpClient(app, ownerKey);
    expect(await names()).not.toContain('function_not-for-others');
    await expect(call('function_not-for-others', { a: 1, b: 1 })).rejects.toThrow(/no tool/);
  });

  it('report a refusal, and a pending card with its link', async () => {
    const { call } = await mcpClient(app);
    const wrong = await call('automations_createFunction', { name: 'x', colour: 'red' });
    expect(wrong.isError).toBe(true);
    expect(JSON.parse(wrong.texts[0] ?? '')).toMatchObject({ code: 'invalid-input' });
    const failing = await tool('failing', { code: "throw new Error('no luck')" });
    expect((await call('function_failing', { a: 1, b: 1 })).texts[0]).toContain('no luck');
    const { version: seenVersion } = await done(app, 'automations/getFunction', { id: failing.id });
    const asked = { id: failing.id, capabilities: ['service'], seenVersion };
    const waiting = await call('automations_setFunctionCapabilities', asked);
    expect(waiting.texts[0]).toMatch(/^Waiting for approval.*http:\/\/[^ ]+\/approvals\/[a-z0-9_]+/);
    expect(JSON.parse(waiting.texts[1] ?? '')).toHaveProperty('pendingChange.id');
  });
});

describe('a narrowed key', () => {
  it('has only the tools of its areas and functions, in every call', async () => {
    const mine = await tool('mine');
    const other = await tool('other one');
    const narrow = await keyOf(app, { kind: 'connection', areas: ['audit'], functions: [mine.id] });
    const { names, done: used, call } = await mcpClient(app, narrow);
    const own = await names();
    expect(own.filter((name) => !name.startsWith('audit_'))).toEqual(['function_mine']);
    expect(await used('function_mine', { a: 1, b: 1 })).toEqual({ total: 2 });
    await expect(call('function_other-one', { a: 1, b: 1 })).rejects.toThrow(/no tool/);
    expect((await app.call('automations/listFunctions', {}, narrow)).body.code).toBe('key-narrowed');
    const { body } = await app.call('automations/invokeFunction', { id: other.id, event: { a: 1, b: 1 } }, narrow);
    expect(body.code).toBe('key-narrowed');
  });

  it('creates no key with more rights, and shows its limits', async () => {
    const body = { name: 'narrow', kind: 'person', areas: ['workspace', 'audit'] };
    const narrow = await keyOf(app, body);
    const { areas, functions } = await done(app, 'workspace/createApiKey', { name: 'next', kind: 'person' }, narrow);
    expect({ areas, functions }).toEqual({ areas: ['workspace', 'audit'], functions: null });
    const wide = { name: 'wide', kind: 'person', areas: ['site'] };
    expect((await app.call('workspace/createApiKey', wide, narrow)).body.code).toBe('key-reaches-further');
    const wrong = await app.call('workspace/createApiKey', { ...wide, areas: ['nothing'], functions: ['fn_none'] });
    expect(wrong.body.errors.map(({ path }: { path: string }) => path)).toEqual(['areas[0]', 'functions[0]']);
  });
});
