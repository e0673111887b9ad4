import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let projectId: string;
beforeAll(async () => {
  app = await sharedApp();
  projectId = (await done(app, 'site/createProject', { name: 'Undo versions' })).id;
}, 60_000);
afterAll(() => app?.close());

interface Listed {
  readonly position: number;
  readonly type: string;
}

const last = async (kind: string, id: string, type?: string): Promise<Listed> => {
  const { events } = await done(app, 'audit/getHistory', { kind, id, limit: 200 });
  return events.filter((event: Listed) => type === undefined || event.type === type).at(-1);
};
const undo = (position: number, key?: string) => app.call('audit/undoChange', { position }, key);
const get = (id: string) => done(app, 'automations/getFunction', { id });
const result = async (id: string) => (await done(app, 'automations/invokeFunction', { id })).result;

async function save(id: string, change: object) {
  const { updatedAt: seenUpdatedAt } = await get(id);
  return done(app, 'automations/updateFunction', { id, seenUpdatedAt, ...change });
}
async function publish(id: string, code: string): Promise<string> {
  const { draft } = await save(id, { code });
  await done(app, 'automations/publishFunction', { id, versionId: draft.versionId });
  return draft.versionId;
}
async function made(name: string): Promise<string> {
  const { id } = await done(app, 'automations/createFunction', { name, code: 'return 1' });
  await done(app, 'automations/updateFunction', { id, isActive: true });
  return id;
}

describe('undoing a publication', () => {
  it('makes the previous version live, keeps the open draft, and can be undone', async () => {
    const id = await made('Undo publication');
    const { liveVersionId: first } = await get(id);
    const second = await publish(id, 'return 2');
    const { draft } = await save(id, { code: 'return 3' });
    const { position } = await last('function', id, 'FunctionPublished');
    const { status, body } = await undo(position);
    expect([status, body]).toMatchObject([200, { operation: 'automations/rollBackFunction' }]);
    expect(await get(id)).toMatchObject({ liveVersionId: first, code: 'return 1', draft });
    expect(await result(id)).toBe(1);
    await undo(body.position);
    expect(await get(id)).toMatchObject({ liveVersionId: second, code: 'return 2', draft });
  });

  it('does not undo a later activation, and conflicts with another version', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'Undo activated', code: 'return 1' });
    await publish(id, 'return 2');
    const { position } = await last('function', id);
    await done(app, 'automations/updateFunction', { id, isActive: true });
    const reply = await undo(position);
    expect([reply.status, await result(id)]).toEqual([200, 1]);
    await publish(id, 'return 3');
    expect(await undo(position)).toMatchObject({ status: 409, body: { code: 'undo-conflict' } });
    expect(await result(id)).toBe(3);
  });

  it('is refused without the right to roll back, and waits for a card like a rollback', async () => {
    const id = await made('Undo with a card');
    await publish(id, 'return 2');
    const { position } = await last('function', id);
    expect((await undo(position, (await person(app, 'viewer')).key)).status).toBe(403);
    const { version: seenVersion } = await get(id);
    const asked = await app.call('automations/setFunctionCapabilities', { id, capabilities: ['service'], seenVersion });
    await done(app, 'approvals/approvePendingChange', {
      id: asked.body.pendingChange.id,
      hash: asked.body.pendingChange.hash,
    });
    const { status, body } = await undo(position);
    expect([status, body.position]).toEqual([202, null]);
    expect(body.waits).toMatchObject([{ pendingChange: { kind: 'function-roll-back' } }]);
    expect(await get(id)).toMatchObject({ code: 'return 2' });
    const { pendingChange: card } = body.waits[0];
    const undoneBy = async () => (await done(app, 'audit/getEvent', { position })).undoneBy;
    expect(await undoneBy()).toBeUndefined();
    await done(app, 'approvals/approvePendingChange', { id: card.id, hash: card.hash });
    expect(await get(id)).toMatchObject({ code: 'return 1' });
    const { position: undoing } = await last('function', id);
    expect(await undoneBy()).toMatchObject({ position: undoing });
    const [{ pendingChange: next }] = (await undo(undoing)).body.waits;
    await done(app, 'approvals/approvePendingChange', { id: next.id, hash: next.hash });
    expect(await undoneBy()).toBeUndefined();
  });

  it('of a version that was live at once works with versions on, and by a save while they are off', async () => {
    const id = await made('Undo live save');
    await done(app, 'workspace/updateSettings', { versions: false });
    await save(id, { code: 'return 2' });
    const first = await last('function', id);
    await done(app, 'workspace/updateSettings', { versions: true });
    const reply = await undo(first.position);
    expect([reply.body.operation, await result(id)]).toEqual(['automations/rollBackFunction', 1]);
    await done(app, 'workspace/updateSettings', { versions: false });
    const again = await undo(reply.body.position);
    expect([again.body.operation, await result(id)]).toEqual(['automations/updateFunction', 2]);
    await done(app, 'workspace/updateSettings', { versions: true });
  });
});

describe('undoing changes of a site function', () => {
  it('rolls back its publication, and restores its rules, for the draft too', async () => {
    const { id: functionId } = await done(app, 'site/createBackendFunction', {
      projectId,
      name: 'undo_fn',
      code: 'return 1',
    });
    const of = { projectId, functionId };
    const fn = () => done(app, 'site/getBackendFunction', of);
    const saved = async (code: string) =>
      (await done(app, 'site/updateBackendFunction', { ...of, code, seenUpdatedAt: (await fn()).updatedAt })).draft;
    const { versionId } = await saved('return 2');
    await done(app, 'site/publishBackendFunction', { ...of, versionId });
    await saved('return 3');
    const { body } = await undo((await last('siteFunction', functionId, 'FunctionPublished')).position);
    expect(body.operation).toBe('site/rollBackBackendFunction');
    expect(await fn()).toMatchObject({ code: 'return 1', draft: { code: 'return 3' } });
    const before = await fn();
    const accessRules = { execute: { type: 'public', scope: 'site' } };
    await done(app, 'site/setBackendFunctionAccessRules', { functionId, accessRules });
    expect((await fn()).draft.accessRules).toMatchObject(accessRules);
    await undo((await last('siteFunction', functionId)).position);
    const { accessRules: live, draft } = await fn();
    expect([live, draft.accessRules]).toEqual([before.accessRules, before.accessRules]);
  });
});

describe('undoing a save of a data function with versions off', () => {
  it('restores its definition and its rules', async () => {
    const { linkedBase } = await done(app, 'site/getProject', { id: projectId });
    await done(app, 'bases/createTable', { baseId: linkedBase.id, name: 'Orders' });
    await done(app, 'workspace/updateSettings', { versions: false });
    const definition = { kind: 'list', table: 'Orders' };
    const { id: functionId } = await done(app, 'site/createDataFunction', { projectId, name: 'orders', definition });
    const of = { projectId, functionId };
    const before = await done(app, 'site/getBackendFunction', of);
    const accessRules = { execute: { type: 'authenticated' } };
    const changed = { definition: { ...definition, limit: 1 }, accessRules };
    await done(app, 'site/updateDataFunction', { ...of, ...changed });
    const { body } = await undo((await last('siteFunction', functionId)).position);
    const { definition: live, accessRules: rules } = await done(app, 'site/getBackendFunction', of);
    expect([body.operation, live, rules]).toEqual(['site/updateDataFunction', definition, before.accessRules]);
    await done(app, 'workspace/updateSettings', { versions: true });
  });
});
