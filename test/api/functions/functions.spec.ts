// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
  // With versions off, saves are live at once. Drafts have a spec of their own.
  await app.call('workspace/updateSettings', { versions: false });
});
afterAll(() => app.close());

let made = 0;
const create = async (more: object = {}) => {
  const { status, body } = await app.call('automations/createFunction', { name: `fn ${made++}`, ...more });
  expect(status).toBe(200);
  return body;
};

describe('createFunction', () => {
  it('refuses unknown connections of the workspace, for agents too (Q-G28)', async () => {
    const grants = { connections: [{ id: 'crm' }] };
    const message = 'must be the id of a connection of this workspace; listMcpConnections lists them';
    const refused = [400, [{ path: 'grants.connections[0].id', message }]];
    const { id, updatedAt: seenUpdatedAt } = await create();
    const agent = await app.call('workspace/addAgent', { name: 'Scout' });
    for (const [operation, body] of [
      ['automations/createFunction', { name: 'connected' }],
      ['automations/updateFunction', { id, seenUpdatedAt }],
      ['workspace/addAgent', { name: 'Connected' }],
      ['workspace/updateAgent', { id: agent.body.id }],
    ] as const) {
      const reply = await app.call(operation, { ...body, grants });
      expect([reply.status, reply.body.errors]).toEqual(refused);
    }
  });

  it('answers the whole function, inactive, with the defaults of the contract', async () => {
    const fn = await create({ name: 'Defaults', code: 'return 1' });
    expect(fn).toEqual({
      id: expect.stringMatching(/^fn_[0-9a-z]{26}$/),
      name: 'Defaults',
      description: '',
      summary: '',
      code: 'return 1',
      grants: { bases: [], databaseIds: [], connections: [], serviceTools: [] },
      accessRules: { execute: null, runBy: null },
      toolSpec: null,
      timeout: 30_000,
      maxRetries: 0,
      exposed: false,
      isActive: false,
      liveVersionId: expect.stringMatching(/^ver_[0-9a-z]{26}$/),
      draft: null,
      capabilities: [],
      identityMode: 'as_set_up',
      secrets: [],
      version: expect.stringMatching(/^[0-9a-f]{32}$/),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: expect.any(String),
    });
  });

  it('stores the sent fields, and getFunction returns the same', async () => {
    const fn = await create({
      description: 'd',
      code: 'export default async (params, ctx) => params.a',
      grants: {
        bases: [{ projectId: 'p1' }, { projectId: 'p2', access: 'read' }],
        serviceTools: ['automations_listFunctions'],
      },
      accessRules: {
        execute: { type: 'authenticated' },
        runBy: { pages: true, functions: 'any', agents: ['ag_1'], members: 'admins' },
      },
      toolSpec: { inputSchema: { type: 'object' }, kind: 'read' },
      maxRetries: 2,
      exposed: true,
    });
    expect(fn.grants.bases).toEqual([
      { projectId: 'p1', access: 'write' },
      { projectId: 'p2', access: 'read' },
    ]);
    expect(fn.accessRules.runBy).toEqual({ pages: true, functions: 'any', agents: ['ag_1'], members: 'admins' });
    expect((await app.call('automations/getFunction', { id: fn.id })).body).toEqual(fn);
  });

  it('does not apply powers named in grants', async () => {
    const fn = await create({ grants: { capabilities: ['service'] } });
    expect(fn.grants).not.toHaveProperty('capabilities');
  });

  it.each([
    ['static', 'const a = 1;\nimport fs from "node:fs";\nreturn a', 2],
    ['dynamic', '\n\nreturn import("node:fs")', 3],
    ['import.meta', 'return import.meta.url', 1],
  ])('refuses %s import at save with 400 and the line', async (_, code, line) => {
    const { status, body } = await app.call('automations/createFunction', { name: 'imports', code });
    expect({ status, code: body.code, line: body.line }).toEqual({ status: 400, code: 'code-import', line });
    expect(body.detail).toContain(`line ${line}`);
  });

  it('refuses code that does not parse with 400 and the line', async () => {
    const { status, body } = await app.call('automations/createFunction', {
      name: 'x',
      code: 'const a = 1;\nconst b = ;',
    });
    expect({ status, code: body.code, line: body.line }).toEqual({ status: 400, code: 'code-invalid', line: 2 });
  });

  it('refuses a name that another function of the workspace has, and accepts it after that one is deleted', async () => {
    const fn = await create({ name: 'Taken' });
    const second = await app.call('automations/createFunction', { name: 'Taken' });
    expect({ status: second.status, code: second.body.code }).toEqual({ status: 409, code: 'function-name-taken' });
    await app.call('automations/deleteFunction', { id: fn.id });
    expect((await app.call('automations/createFunction', { name: 'Taken' })).status).toBe(200);
  });

  it('gives a name to one of many simultaneous calls', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, () => app.call('automations/createFunction', { name: 'Raced' })),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
    const list = await app.call('automations/listFunctions');
    expect(list.body.filter((fn: { name: string }) => fn.name === 'Raced')).toHaveLength(1);
  });
});

describe('exposed', () => {
  const shown = async (id: string) => {
    const listed = (await app.call('automations/listFunctions')).body.find((fn: { id: string }) => fn.id === id);
    return [(await app.call('automations/getFunction', { id })).body.exposed, listed.exposed];
  };

  it('is false by default, and shown by getFunction and listFunctions', async () => {
    const fn = await create();
    expect([fn.exposed, ...(await shown(fn.id))]).toEqual([false, false, false]);
  });

  it('can be switched on at creation, off and on by updateFunction, and is unchanged by default', async () => {
    const fn = await create({ exposed: true });
    expect([fn.exposed, ...(await shown(fn.id))]).toEqual([true, true, true]);
    for (const exposed of [false, true]) {
      const { body } = await app.call('automations/updateFunction', { id: fn.id, exposed });
      expect([body.exposed, ...(await shown(fn.id))]).toEqual([exposed, exposed, exposed]);
    }
    const { body } = await app.call('automations/updateFunction', { id: fn.id, description: 'new' });
    expect([body.exposed, ...(await shown(fn.id))]).toEqual([true, true, true]);
  });

  it.each(['true', 1, null])('cannot be %j', async (exposed) => {
    const { status, body } = await app.call('automations/createFunction', { name: 'Exposed', exposed });
    expect([status, body.errors[0].path]).toEqual([400, 'exposed']);
  });
});

describe('updateFunction', () => {
  it('activates and deactivates', async () => {
    const { id } = await create();
    expect((await app.call('automations/updateFunction', { id, isActive: true })).body.isActive).toBe(true);
    expect((await app.call('automations/updateFunction', { id, isActive: false })).body.isActive).toBe(false);
  });

  it('changes sent fields and keeps the rest', async () => {
    const fn = await create({ description: 'before', maxRetries: 1 });
    const { body } = await app.call('automations/updateFunction', {
      id: fn.id,
      name: 'Renamed',
      summary: 's',
      timeout: 1_000,
      exposed: true,
    });
    expect(body).toEqual({
      ...fn,
      name: 'Renamed',
      summary: 's',
      timeout: 1_000,
      exposed: true,
      liveVersionId: expect.any(String),
      version: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(body.version).not.toBe(fn.version);
    expect(body.updatedAt > fn.updatedAt).toBe(true);
  });

  it.each([
    ['code', { code: 'return 2' }],
    ['grants', { grants: {} }],
    ['accessRules', { accessRules: {} }],
  ])('needs seenUpdatedAt to change %s', async (_, change) => {
    const { id } = await create();
    const { status, body } = await app.call('automations/updateFunction', { id, ...change });
    expect({ status, path: body.errors[0].path }).toEqual({ status: 400, path: 'seenUpdatedAt' });
  });

  it('saves code with the last updatedAt and refuses an outdated one with the present one', async () => {
    const fn = await create({ code: 'return 1' });
    const first = await app.call('automations/updateFunction', {
      id: fn.id,
      code: 'return 2',
      seenUpdatedAt: fn.updatedAt,
    });
    expect(first.body.code).toBe('return 2');
    const stale = await app.call('automations/updateFunction', {
      id: fn.id,
      code: 'return 3',
      seenUpdatedAt: fn.updatedAt,
    });
    expect({ status: stale.status, code: stale.body.code, updatedAt: stale.body.updatedAt }).toEqual({
      status: 409,
      code: 'function-changed-since',
      updatedAt: first.body.updatedAt,
    });
    expect((await app.call('automations/getFunction', { id: fn.id })).body).toEqual(first.body);
  });

  it('accepts one of many simultaneous saves based on one version', async () => {
    const fn = await create();
    const saves = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        app.call('automations/updateFunction', { id: fn.id, code: `return ${n}`, seenUpdatedAt: fn.updatedAt }),
      ),
    );
    expect(saves.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(saves.filter(({ status }) => status === 409)).toHaveLength(9);
  });

  it('removes toolSpec with null', async () => {
    const fn = await create({ toolSpec: { inputSchema: {} } });
    expect((await app.call('automations/updateFunction', { id: fn.id, toolSpec: null })).body.toolSpec).toBeNull();
  });

  it('replaces grants as a whole and accessRules key by key', async () => {
    const fn = await create({
      grants: { databaseIds: ['d'], serviceTools: ['automations_listRuns'] },
      accessRules: { execute: { type: 'authenticated' }, runBy: { pages: false, functions: [], agents: [] } },
    });
    const { body } = await app.call('automations/updateFunction', {
      id: fn.id,
      seenUpdatedAt: fn.updatedAt,
      grants: { bases: [{ projectId: 'p' }] },
      accessRules: { execute: null },
    });
    expect(body.grants).toEqual({
      bases: [{ projectId: 'p', access: 'write' }],
      databaseIds: [],
      connections: [],
      serviceTools: [],
    });
    expect(body.accessRules).toEqual({ execute: null, runBy: fn.accessRules.runBy });
  });

  it('changes nothing, including updatedAt, without a difference', async () => {
    const fn = await create({ description: 'same' });
    const { body } = await app.call('automations/updateFunction', { id: fn.id, description: 'same' });
    expect(body).toEqual(fn);
  });

  it('refuses a rename to a taken name and permits one back', async () => {
    const a = await create({ name: 'A' });
    await create({ name: 'B' });
    const taken = await app.call('automations/updateFunction', { id: a.id, name: 'B' });
    expect({ status: taken.status, code: taken.body.code }).toEqual({ status: 409, code: 'function-name-taken' });
    await app.call('automations/updateFunction', { id: a.id, name: 'C' });
    expect((await app.call('automations/createFunction', { name: 'A' })).status).toBe(200);
    expect((await app.call('automations/updateFunction', { id: a.id, name: 'A' })).status).toBe(409);
  });

  it.each([
    ['import', { code: 'import "x"' }, 'code-import'],
    ['a syntax error', { code: '}' }, 'code-invalid'],
  ])('refuses code with %s and keeps the saved code', async (_, change, code) => {
    const fn = await create({ code: 'return 1' });
    const refused = await app.call('automations/updateFunction', { id: fn.id, ...change, seenUpdatedAt: fn.updatedAt });
    expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 400, code });
    expect((await app.call('automations/getFunction', { id: fn.id })).body).toEqual(fn);
  });
});

describe('deleteFunction and lists', () => {
  it('deletes for good', async () => {
    const { id } = await create();
    expect((await app.call('automations/deleteFunction', { id })).body).toEqual({ success: true });
    for (const operation of ['getFunction', 'deleteFunction', 'updateFunction']) {
      const gone = await app.call(`automations/${operation}`, { id });
      expect({ status: gone.status, code: gone.body.code }).toEqual({ status: 404, code: 'function-not-found' });
    }
    const list = await app.call('automations/listFunctions');
    expect(list.body.map((fn: { id: string }) => fn.id)).not.toContain(id);
  });

  it('lists without code', async () => {
    const fn = await create({ description: 'listed', code: 'return "hidden"' });
    const { body } = await app.call('automations/listFunctions');
    expect(body.find((one: { id: string }) => one.id === fn.id)).toEqual({
      id: fn.id,
      name: fn.name,
      description: 'listed',
      summary: '',
      exposed: false,
      isActive: false,
      grants: fn.grants,
      updatedAt: fn.updatedAt,
    });
    expect(JSON.stringify(body)).not.toContain('hidden');
  });
});

describe('audit', () => {
  it('shows the history of a function, oldest first, each with who, when and what it changed', async () => {
    const fn = await create({ name: 'Audited', code: 'return 1' });
    await app.call('automations/updateFunction', { id: fn.id, isActive: true });
    await app.call('automations/updateFunction', { id: fn.id, description: 'new', maxRetries: 3 });
    await app.call('automations/deleteFunction', { id: fn.id });
    const { body } = await app.call('audit/getHistory', { kind: 'function', id: fn.id });
    expect(body.events.map((event: { type: string; command: string }) => [event.type, event.command])).toEqual([
      ['FunctionCreated', 'automations/createFunction'],
      ['FunctionActivated', 'automations/updateFunction'],
      ['FunctionDetailsChanged', 'automations/updateFunction'],
      ['FunctionDefinitionChanged', 'automations/updateFunction'],
      ['FunctionDeleted', 'automations/deleteFunction'],
    ]);
    const activated = body.events[1];
    expect(activated.actor).toEqual({ kind: 'person', id: expect.any(String), name: 'Owner' });
    expect(activated.resource).toEqual({ kind: 'function', id: fn.id });
    expect(activated.changes).toEqual([
      { path: 'isActive', from: false, to: true },
      { path: 'updatedAt', from: fn.updatedAt, to: expect.any(String) },
    ]);
    expect(body.events[2].changes).toContainEqual({ path: 'description', from: '', to: 'new' });
    const positions = body.events.map((event: { position: number }) => event.position);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
  });

  it('lists events newest first, by kind, id, type, actor and time, in pages', async () => {
    const fn = await create({ name: 'Paged' });
    for (let n = 0; n < 5; n++) await app.call('automations/updateFunction', { id: fn.id, description: `d${n}` });
    const asked = { kind: 'function', id: fn.id };
    const all = await app.call('audit/listEvents', asked);
    expect(all.body.events.map((event: { type: string }) => event.type)).toEqual([
      ...Array(5).fill('FunctionDetailsChanged'),
      'FunctionCreated',
    ]);
    expect(all.body.next).toBeNull();
    const first = await app.call('audit/listEvents', { ...asked, limit: 4 });
    const rest = await app.call('audit/listEvents', { ...asked, limit: 4, before: first.body.next });
    expect([...first.body.events, ...rest.body.events]).toEqual(all.body.events);
    const created = await app.call('audit/listEvents', { ...asked, types: ['FunctionCreated'] });
    expect(created.body.events).toEqual(all.body.events.slice(-1));
    const { actor, at } = all.body.events[0];
    expect((await app.call('audit/listEvents', { ...asked, actorId: actor.id })).body.events).toHaveLength(6);
    expect((await app.call('audit/listEvents', { ...asked, to: created.body.events[0].at })).body.events).toEqual([]);
    expect((await app.call('audit/listEvents', { ...asked, from: at })).body.events.length).toBeGreaterThan(0);
  });

  it('records that it was read, and shows the reading on request', async () => {
    const fn = await create({ name: 'Watched' });
    await app.call('audit/getHistory', { kind: 'function', id: fn.id });
    const { body } = await app.call('audit/listEvents', { kind: 'auditReading', types: ['AuditRead'] });
    expect(body.events.map((event: { data: object }) => event.data)).toContainEqual({
      operation: 'audit/getHistory',
      asked: { kind: 'function', id: fn.id },
      question: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const plain = await app.call('audit/listEvents', {});
    expect(plain.body.events.map((event: { type: string }) => event.type)).not.toContain('AuditRead');
  });

  it.each([
    { kind: 'function', id: 'fn_none' },
    { kind: 'nothing', id: 'x' },
    { kind: 'run', id: 'x' },
  ])('answers 404 for %j', async (resource) => {
    const { status, body } = await app.call('audit/getHistory', resource);
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'resource-not-found' });
  });
});
