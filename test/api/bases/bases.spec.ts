import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
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
    const after = await done(app, 'bases/updateBase', { id: base.id, name: 'Store', description: '' });
    expect(after).toEqual({ ...base, name: 'Store', description: null, tables: [table] });
    expect(await done(app, 'bases/getBase', { id: base.id })).toEqual(after);
    expect(await done(app, 'bases/listBases')).toContainEqual(after);
  });

  it('has, like its tables, a text as description, and not null (Q-G15)', async () => {
    const base = await create();
    const table = await done(app, 'bases/createTable', { baseId: base.id, name: 'Teas' });
    for (const [operation, body] of [
      ['createBase', { name: 'Null' }],
      ['updateBase', { id: base.id }],
      ['createTable', { baseId: base.id, name: 'Null' }],
      ['updateTable', { id: table.id }],
    ] as const) {
      const reply = await call(operation, { ...body, description: null });
      expect([operation, reply.status, reply.body.errors]).toEqual([
        operation,
        400,
        [{ path: 'description', message: expect.stringContaining('must be a string') }],
      ]);
    }
  });

  it('is deleted with its tables at once', async () => {
    const { id } = await create();
    const table = await done(app, 'bases/createTable', { baseId: id, name: 'Teas' });
    expect(await done(app, 'bases/deleteBase', { id })).toEqual({ success: true });
    expect(await answer(call('getBase', { id }))).toEqual([404, 'base-not-found']);
    expect(await answer(call('listTables', { baseId: id }))).toEqual([404, 'base-not-found']);
    expect(await answer(call('getTable', { id: table.id }))).toEqual([404, 'table-not-found']);
    expect(await answer(call('createTable', { baseId: id, name: 'x' }))).toEqual([404, 'base-not-found']);
    expect(await answer(call('deleteBase', { id }))).toEqual([404, 'base-not-found']);
  });

  it('leaves no table and no row behind, even of simultaneous writers', async () => {
    const { id: baseId } = await create();
    const fields = [{ name: 'title', type: 'text' }];
    const first = await done(app, 'bases/createTable', { baseId, name: 'First', fields });
    const made = await Promise.all([
      ...Array.from({ length: 10 }, (_, n) => call('createTable', { baseId, name: `t${n}` })),
      call('deleteBase', { id: baseId }),
      ...Array.from({ length: 10 }, () => call('createRow', { tableId: first.id, values: { title: 'x' } })),
    ]);
    const known = [200, 'base-not-found', 'table-not-found'];
    expect(made.map(({ status, body }) => body.code ?? status).filter((one) => !known.includes(one))).toEqual([]);
    for (const { body } of made.filter(({ status, body }) => status === 200 && body.baseId !== undefined)) {
      expect(await answer(call('getTable', { id: body.id }))).toEqual([404, 'table-not-found']);
    }
    expect(await answer(call('getBase', { id: baseId }))).toEqual([404, 'base-not-found']);
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const rows = made.filter(({ status, body }) => status === 200 && body.title === 'x');
    for (const { body } of rows) {
      await eventually(
        () => app.app.get(EventStore).readStream(`row-${workspaceId}.${body.id}`),
        (events) => events.at(-1)?.type === 'RowErased',
      );
    }
  });

  it('of another workspace is not found', async () => {
    const { ownerKey } = await otherWorkspace(app);
    const { id } = await create();
    for (const operation of ['getBase', 'updateBase', 'deleteBase']) {
      expect(await answer(call(operation, { id }, ownerKey))).toEqual([404, 'base-not-found']);
    }
    expect((await call('listBases', {}, ownerKey)).body).toEqual([]);
  });

  it('can be changed by Editors and above, and read by every member', async () => {
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

  it('exists from the beginning, can be changed, but not deleted alone', async () => {
    const { id: projectId, linkedBaseId: id } = await project();
    expect(await done(app, 'bases/getBase', { id })).toMatchObject({ id, projectId, tables: [] });
    expect(await done(app, 'bases/updateBase', { id, description: 'Teas.' })).toMatchObject({ description: 'Teas.' });
    expect(await answer(call('deleteBase', { id }))).toEqual([409, 'base-linked']);
    expect((await call('getBase', { id })).status).toBe(200);
  });

  it('is counted before a deletion of the project, and its tables are deleted at once', async () => {
    const { id: projectId, linkedBaseId: baseId } = await project();
    const table = await done(app, 'bases/createTable', { baseId, name: 'Teas' });
    const cups = await done(app, 'bases/createTable', { baseId, name: 'Cups', fields: [{ name: 'a', type: 'text' }] });
    const rows = [{ a: '1' }, { a: '2' }, { a: '3' }];
    await done(app, 'bases/createRows', { tableId: cups.id, rows });
    expect(await done(app, 'site/getProjectDeleteInfo', { id: projectId })).toMatchObject({
      linkedBase: { id: baseId },
      tableCount: 2,
      rowCount: 3,
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
