// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { Gate } from '../../support/automations/gate.js';
import { eventually } from '../../support/eventually.js';
import { onSeveral } from '../../support/shared-app.js';
import { sharedOutside } from '../../support/shared-outside.js';

let app: TestApp;
let agentKey = '';
let automationKey = '';
beforeAll(async () => {
  app = await sharedOutside({ several: onSeveral });
  const agent = (await app.call('workspace/addAgent', { name: 'Bo', canCreateFunctions: true })).body;
  agentKey = (await app.call('workspace/createApiKey', { name: 'a', kind: 'agent', agentId: agent.id })).body.key;
  automationKey = (await app.call('workspace/createApiKey', { name: 'b', kind: 'automation' })).body.key;
});
afterAll(() => app.close());

let made = 0;
const create = async (code = 'return 1', more: object = {}) =>
  (await app.call('automations/createFunction', { name: `fn ${made++}`, code, ...more })).body;
const get = async (id: string) => (await app.call('automations/getFunction', { id })).body;
const save = async (id: string, input: object, key?: string) => {
  const { updatedAt } = await get(id);
  return app.call('automations/updateFunction', { id, seenUpdatedAt: updatedAt, ...input }, key);
};
const publish = (id: string, versionId: string, key?: string) =>
  app.call('automations/publishFunction', { id, versionId }, key);
const rollBack = (id: string, versionId: string, key?: string) =>
  app.call('automations/rollBackFunction', { id, versionId }, key);
const versions = async (functionId: string) =>
  (await app.call('automations/listFunctionVersions', { functionId })).body.versions;
const invoke = async (id: string) => (await app.call('automations/invokeFunction', { id })).body.result;

describe('with versions switched on', () => {
  it('the code of a new function is version 1 and live', async () => {
    const fn = await create('return 1\n');
    expect(await versions(fn.id)).toEqual([
      {
        id: fn.liveVersionId,
        number: 1,
        state: 'live',
        isLive: true,
        writtenBy: 'Owner',
        createdAt: fn.createdAt,
        publishedBy: 'Owner',
        publishedAt: fn.createdAt,
        linesChanged: 2,
      },
    ]);
  });

  it('a save is a new draft, which nothing runs until it is published, and updatedAt changes', async () => {
    const fn = await create('return 1');
    const saved = (await save(fn.id, { code: 'return 2', timeout: 5_000 })).body;
    expect(saved).toMatchObject({
      code: 'return 1',
      timeout: 30_000,
      draft: { number: 2, code: 'return 2', timeout: 5_000 },
    });
    expect(saved.updatedAt > fn.updatedAt).toBe(true);
    expect(await invoke(fn.id)).toBe(1);
    const answer = await publish(fn.id, saved.draft.versionId);
    expect(answer.body).toEqual({
      versionId: saved.draft.versionId,
      number: 2,
      publishedBy: 'Owner',
      publishedAt: expect.any(String),
    });
    expect(await invoke(fn.id)).toBe(2);
    expect(await get(fn.id)).toMatchObject({ code: 'return 2', timeout: 5_000, draft: null });
    expect((await versions(fn.id)).map(({ state }: { state: string }) => state)).toEqual(['live', 'archived']);
  });

  it('code, grants, accessRules, toolSpec, timeout and maxRetries wait; name, description, summary, exposed and isActive do not', async () => {
    const fn = await create();
    const waits = {
      code: 'return 5',
      grants: { databaseIds: ['d'] },
      accessRules: { runBy: { pages: true, functions: [], agents: [] } },
      toolSpec: { inputSchema: {} },
      timeout: 2_000,
      maxRetries: 3,
    };
    const atOnce = { name: 'Now', description: 'd', summary: 's', exposed: true, isActive: true };
    const { body } = await save(fn.id, { ...waits, ...atOnce });
    expect(body).toMatchObject(atOnce);
    for (const key of Object.keys(waits)) expect([key, body[key]]).toEqual([key, fn[key]]);
    expect(body.draft).toMatchObject({ ...waits, grants: { databaseIds: ['d'] }, accessRules: { execute: null } });
  });

  it('saves by the same author continue the open draft, and one by another begins a new draft on top of it', async () => {
    const fn = await create('a()\nb()\nc()');
    const first = (await save(fn.id, { code: 'a()\nB()\nc()' })).body.draft;
    const second = (await save(fn.id, { timeout: 5_000 })).body.draft;
    expect([second.versionId, second.number, second.code]).toEqual([first.versionId, 2, 'a()\nB()\nc()']);
    const third = (await save(fn.id, { code: 'a()\nB()\nC()' }, automationKey)).body.draft;
    expect([third.number, third.timeout]).toEqual([3, 5_000]);
    const list = await versions(fn.id);
    expect(
      list.map(({ number, state, linesChanged }: Record<string, unknown>) => [number, state, linesChanged]),
    ).toEqual([
      [3, 'draft', 1],
      [2, 'archived', 1],
      [1, 'live', 3],
    ]);
    expect((await rollBack(fn.id, first.versionId)).body.code).toBe('version-cannot-return');
  });

  it('shows who wrote and who published', async () => {
    const fn = (await app.call('automations/createFunction', { name: 'By an agent', code: 'return 1' }, agentKey)).body;
    const draft = (await save(fn.id, { code: 'return 2' }, agentKey)).body.draft;
    await publish(fn.id, draft.versionId);
    const [live, first] = await versions(fn.id);
    expect([live.writtenBy, live.publishedBy, first.writtenBy]).toEqual(['AI agent Bo', 'Owner', 'AI agent Bo']);
  });

  it('rolls back to the former live version, creates no new version, and keeps an open draft', async () => {
    const fn = await create('return 1');
    const draft = (await save(fn.id, { code: 'return 2' })).body.draft;
    await publish(fn.id, draft.versionId);
    const open = (await save(fn.id, { code: 'return 3' })).body.draft;
    const answer = await rollBack(fn.id, fn.liveVersionId);
    expect([answer.status, answer.body.number]).toEqual([200, 1]);
    expect(await invoke(fn.id)).toBe(1);
    const after = await get(fn.id);
    expect([after.liveVersionId, after.draft.versionId]).toEqual([fn.liveVersionId, open.versionId]);
    expect(await versions(fn.id)).toHaveLength(3);
    expect((await rollBack(fn.id, draft.versionId)).status).toBe(200);
    expect(await invoke(fn.id)).toBe(2);
  });

  it('a run in progress finishes on its own version', async () => {
    const gate = await Gate.start();
    const fn = await create(`${gate.code} return "old"`);
    const running = app.call('automations/invokeFunction', { id: fn.id });
    await eventually(
      async () => (await app.call('automations/listRuns', { functionId: fn.id })).body,
      ([run]) => run?.status === 'running',
    );
    const draft = (await save(fn.id, { code: 'return "new"' })).body.draft;
    await publish(fn.id, draft.versionId);
    expect(await invoke(fn.id)).toBe('new');
    gate.isOpen = true;
    expect((await running).body.result).toBe('old');
    await gate.close();
  });

  it.each(['publishFunction', 'rollBackFunction'])(
    '%s is refused to an agent, an automation, and for an unknown record',
    async (operation) => {
      const fn = await create();
      const call = (versionId: string, key?: string) =>
        app.call(`automations/${operation}`, { id: fn.id, versionId }, key);
      for (const key of [agentKey, automationKey]) {
        const { status, body } = await call(fn.liveVersionId, key);
        expect([status, body.code]).toEqual([403, 'drafts-only']);
      }
      expect((await call('ver_none')).body.code).toBe('version-not-found');
    },
  );

  it('publishes nothing but a draft, and says what the version is instead', async () => {
    const fn = await create();
    const live = await publish(fn.id, fn.liveVersionId);
    expect([live.status, live.body.code]).toEqual([409, 'version-not-a-draft']);
    expect(live.body.detail).toContain('live');
    const draft = (await save(fn.id, { code: 'return 2' })).body.draft;
    await publish(fn.id, draft.versionId);
    expect((await publish(fn.id, draft.versionId)).status).toBe(409);
    expect((await publish(fn.id, fn.liveVersionId)).body.detail).toContain('archived');
  });

  it('rolls back neither to the live version nor to a draft', async () => {
    const fn = await create();
    const draft = (await save(fn.id, { code: 'return 2' })).body.draft;
    expect((await rollBack(fn.id, fn.liveVersionId)).body.detail).toContain('live');
    expect((await rollBack(fn.id, draft.versionId)).body.detail).toContain('draft');
  });

  it('one of many simultaneous publications of a draft succeeds', async () => {
    const fn = await create();
    const draft = (await save(fn.id, { code: 'return 2' })).body.draft;
    const all = await Promise.all(Array.from({ length: 10 }, () => publish(fn.id, draft.versionId)));
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });

  it('refuses code that does not parse before it is a draft', async () => {
    const fn = await create();
    expect((await save(fn.id, { code: '}' })).body.code).toBe('code-invalid');
    expect((await get(fn.id)).draft).toBeNull();
  });

  it('never lists the code', async () => {
    const fn = await create('return "secret sauce"');
    expect(JSON.stringify(await versions(fn.id))).not.toContain('sauce');
  });
});

describe('with versions switched off', () => {
  beforeAll(() => app.call('workspace/updateSettings', { versions: false }));
  afterAll(() => app.call('workspace/updateSettings', { versions: true }));

  it('every save is live at once, and there are no versions to list', async () => {
    const fn = await create('return 1');
    await save(fn.id, { code: 'return 2' });
    expect(await invoke(fn.id)).toBe(2);
    expect((await app.call('automations/listFunctionVersions', { functionId: fn.id })).body).toEqual({
      switchedOn: false,
      versions: [],
    });
  });

  it.each(['publishFunction', 'rollBackFunction'])('refuses the operation %s', async (operation) => {
    const fn = await create();
    const { status, body } = await app.call(`automations/${operation}`, { id: fn.id, versionId: fn.liveVersionId });
    expect([status, body.code]).toEqual([403, 'versions-off']);
  });
});
