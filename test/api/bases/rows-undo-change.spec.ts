// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let tableId: string;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

const fields = [
  { name: 'title', type: 'text', required: true },
  { name: 'email', type: 'email', unique: true },
];
beforeEach(async () => {
  const { id } = await done(app, 'site/createProject', { name: 'Undo' });
  const { linkedBase } = await done(app, 'site/getProject', { id });
  tableId = (await done(app, 'bases/createTable', { baseId: linkedBase.id, name: 'Orders', fields })).id;
});

const does = (operation: string, body: object = {}) => done(app, `bases/${operation}`, { tableId, ...body });
const create = (title: string, more: object = {}) => does('createRow', { values: { title, ...more } });
const update = (id: string, values: object) => does('updateRow', { id, values });
const titles = async () => (await does('listRows')).rows.map(({ title }: { title: string }) => title);
const history = async (id: string) => (await done(app, 'audit/getHistory', { kind: 'row', id, limit: 200 })).events;
/** The position of the row's newest event, or of the one `before` events earlier. */
const newest = async (id: string, before = 0): Promise<number> => (await history(id)).at(-1 - before).position;
const undo = (position: number, key?: string) => app.call('audit/undoChange', { position }, key);
const refused = async (reply: ReturnType<typeof undo>) => {
  const { status, body } = await reply;
  return [status, body.code];
};

describe('audit/undoChange on rows', () => {
  it("undoes a change, with bases/undoRow's effect and as its cause, and can be undone", async () => {
    const { id } = await create('one', { email: 'a@example.org' });
    await update(id, { title: 'two', email: null });
    const [, changed] = await history(id);
    const { status, body } = await undo(changed.position);
    expect([status, body]).toEqual([200, { success: true, operation: 'bases/undoRow', position: await newest(id) }]);
    expect(await does('getRow', { id })).toMatchObject({ title: 'one', email: 'a@example.org' });
    expect((await history(id)).at(-1)).toMatchObject({ command: 'audit/undoChange', causationId: changed.id });
    expect((await undo(body.position)).status).toBe(200);
    expect(await does('getRow', { id })).toMatchObject({ title: 'two', email: null });
  });

  it('undoes a deletion, a restoration, and a creation of a row', async () => {
    const row = await create('one', { email: 'b@example.org' });
    await does('deleteRow', { id: row.id });
    expect((await undo(await newest(row.id))).body.operation).toBe('bases/undoRow');
    expect(await does('getRow', { id: row.id })).toEqual({ ...row, updatedAt: expect.any(String) });
    expect((await undo(await newest(row.id))).body.operation).toBe('bases/deleteRow');
    expect(await titles()).toEqual([]);
    const other = await create('other');
    await undo(await newest(other.id));
    expect(await titles()).toEqual([]);
  });

  it("undoes each row's change of a bulk write", async () => {
    const { rows } = await does('createRows', { rows: [{ title: 'a' }, { title: 'b' }] });
    const [one, two] = rows.map(({ id }: { id: string }) => id);
    await does('updateRows', { rows: [one, two].map((id) => ({ id, values: { title: 'changed' } })) });
    await undo(await newest(two));
    expect(await titles()).toEqual(['changed', 'b']);
    await does('deleteRows', { ids: [one, two] });
    for (const id of [one, two]) await undo(await newest(id));
    expect(await titles()).toEqual(['changed', 'b']);
  });

  it('undoes an earlier change if the row is back in its later state', async () => {
    const { id } = await create('one');
    for (const title of ['two', 'three', 'two']) await update(id, { title });
    expect((await undo(await newest(id, 2))).status).toBe(200);
    expect(await titles()).toEqual(['one']);
  });

  it('is a conflict that names the fields where the row has changed since', async () => {
    const { id } = await create('one');
    await update(id, { title: 'two' });
    const position = await newest(id);
    await update(id, { title: 'three' });
    const { status, body } = await undo(position);
    expect([status, body.code, body.details.conflicts]).toEqual([
      409,
      'undo-conflict',
      [{ path: expect.stringMatching(/^values\./), made: 'two', now: 'three' }],
    ]);
    expect(body.details.since).toHaveLength(1);
    await does('deleteRow', { id });
    expect(await refused(undo(position))).toEqual([409, 'undo-conflict']);
  });

  it('has the rights and limits of bases/undoRow', async () => {
    const { id } = await create('one', { email: 'c@example.org' });
    await does('deleteRow', { id });
    const position = await newest(id);
    expect(await refused(undo(position, (await person(app, 'viewer')).key))).toEqual([403, 'viewer-refused']);
    expect(await refused(undo(position, (await otherWorkspace(app)).ownerKey))).toEqual([404, 'resource-not-found']);
    await create('two', { email: 'c@example.org' });
    expect(await refused(undo(position))).toEqual([409, 'row-value-taken']);
    expect(await titles()).toEqual(['two']);
  });

  it('does not restore erased rows, and says so', async () => {
    const { id } = await create('one');
    await update(id, { title: 'two' });
    await does('eraseRow', { id });
    const said = 'This change cannot be undone. The row was permanently erased, and its values cannot be restored.';
    for (const { position } of await history(id)) {
      const { status, body } = await undo(position);
      expect([status, body.code, body.detail]).toEqual([409, 'undo-impossible', said]);
    }
    const other = await create('other');
    await does('deleteRow', { id: other.id });
    const position = await newest(other.id);
    await done(app, 'bases/deleteTable', { id: tableId });
    expect((await undo(position)).status).toBe(409);
  });
});

describe('bases/undoRow', () => {
  it('restores a row as it was before a position, and refuses an instant beside it', async () => {
    const { id } = await create('one');
    await update(id, { title: 'two' });
    const before = await newest(id);
    await update(id, { title: 'three' });
    expect(await does('undoRow', { id, before })).toMatchObject({ title: 'one' });
    const { status, body } = await app.call('bases/undoRow', { tableId, id, before, at: new Date().toISOString() });
    expect([status, body.errors]).toEqual([400, [{ path: 'before', message: 'must not be sent together with at' }]]);
  });
});
