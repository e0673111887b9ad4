import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStore } from '../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { done, otherWorkspace, person } from '../support/people.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const call = (operation: string, body: object, key?: string) => app.call(`bases/${operation}`, body, key);
const create = (body: object = {}) => done(app, 'bases/createBase', { name: 'Stock', ...body });
const answer = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.code];
};

describe('a base', () => {
  it('of the workspace is created, changed, read and listed with its tables', async () => {
    const base = await create({ description: 'What there is.' });
    expect(base).toEqual({
      id: expect.stringMatching(/^base_/),
      name: 'Stock',
      description: 'What there is.',
      projectId: null,
      createdAt: expect.any(String),
      tables: [],
    });
    const table = await done(app, 'bases/createTable', { baseId: base.id, name: 'Teas' });
    const after = await done(app, 'bases/updateBase', { id: base.id, name: 'Store', description: null });
    expect(after).toEqual({ ...base, name: 'Store', description: null, tables: [table] });
    expect(await done(app, 'bases/getBase', { id: base.id })).toEqual(after);
    expect(await done(app, 'bases/listBases')).toContainEqual(after);
  });

  it('is deleted with its tables, all at once', async () => {
    const { id } = await create();
    const table = await done(app, 'bases/createTable', { baseId: id, name: 'Teas' });
    expect(await done(app, 'bases/deleteBase', { id })).toEqual({ success: true });
    expect(await answer(call('getBase', { id }))).toEqual([404, 'base-not-found']);
    expect(await answer(call('listTables', { baseId: id }))).toEqual([404, 'base-not-found']);
    expect(await answer(call('getTable', { id: table.id }))).toEqual([404, 'table-not-found']);
    expect(await answer(call('createTable', { baseId: id, name: 'x' }))).toEqual([404, 'base-not-found']);
    expect(await answer(call('deleteBase', { id }))).toEqual([404, 'base-not-found']);
  });

  it('of another workspace is not there', async () => {
    const { ownerKey } = await otherWorkspace(app);
    const { id } = await create();
    for (const operation of ['getBase', 'updateBase', 'deleteBase']) {
      expect(await answer(call(operation, { id }, ownerKey))).toEqual([404, 'base-not-found']);
    }
    expect((await call('listBases', {}, ownerKey)).body).toEqual([]);
  });

  it('is changed by Editors and up, and read by every member', async () => {
    const viewer = (await person(app, 'viewer')).key;
    const { id } = await create();
    expect(await answer(call('createBase', { name: 'x' }, viewer))).toEqual([403, 'viewer-refused']);
    expect(await answer(call('deleteBase', { id }, viewer))).toEqual([403, 'viewer-refused']);
    expect((await call('getBase', { id }, viewer)).status).toBe(200);
  });

  it.each(['', ' ', 7, null, 'x'.repeat(201)])('is not named %j', async (name) => {
    const { status, body } = await call('createBase', { name });
    expect([status, body.errors?.[0]?.path]).toEqual([400, 'name']);
  });
});

describe("a project's base", () => {
  const project = () => done(app, 'site/createProject', { name: 'Tea shop' });

  it('is there from the beginning, may be changed, and is not deleted by itself', async () => {
    const { id: projectId, linkedBaseId: id } = await project();
    expect(await done(app, 'bases/getBase', { id })).toMatchObject({ id, projectId, tables: [] });
    expect(await done(app, 'bases/updateBase', { id, description: 'Teas.' })).toMatchObject({ description: 'Teas.' });
    expect(await answer(call('deleteBase', { id }))).toEqual([409, 'base-linked']);
    expect((await call('getBase', { id })).status).toBe(200);
  });

  it('is counted in what a deletion of the project takes along, and its tables go at once', async () => {
    const { id: projectId, linkedBaseId: baseId } = await project();
    const table = await done(app, 'bases/createTable', { baseId, name: 'Teas' });
    await done(app, 'bases/createTable', { baseId, name: 'Cups' });
    expect(await done(app, 'site/getProjectDeleteInfo', { id: projectId })).toMatchObject({
      linkedBase: { id: baseId },
      tableCount: 2,
      rowCount: 0,
    });
    await done(app, 'site/deleteProject', { id: projectId });
    expect(await answer(call('getBase', { id: baseId }))).toEqual([404, 'base-not-found']);
    expect((await call('getTable', { id: table.id })).status).toBe(404);
    expect((await call('updateTable', { id: table.id, name: 'x' })).status).toBe(404);
    expect((await done(app, 'bases/listBases')).map(({ id }: { id: string }) => id)).not.toContain(baseId);
    const store = app.app.get(EventStore);
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    await eventually(
      () => store.readStream(`table-${workspaceId}.${table.id}`),
      (events) => events.at(-1)?.type === 'TableDeleted',
    );
  });
});
