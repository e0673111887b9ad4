// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let baseId: string;
let tableId: string;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

const fields = [
  { name: 'title', type: 'text', required: true },
  { name: 'email', type: 'email', unique: true },
  { name: 'amount', type: 'number', indexed: true },
];
beforeEach(async () => {
  const { id } = await done(app, 'site/createProject', { name: 'Undo' });
  baseId = (await done(app, 'site/getProject', { id })).linkedBase.id;
  tableId = (await done(app, 'bases/createTable', { baseId, name: 'Orders', fields })).id;
});

const does = (operation: string, body: object = {}) => done(app, `bases/${operation}`, { tableId, ...body });
const refused = async (operation: string, body: object, key?: string) => {
  const { status, body: problem } = await app.call(`bases/${operation}`, { tableId, ...body }, key);
  return [status, problem.code];
};
const values = ({ title, email, amount }: Record<string, unknown>) => [title, email, amount];
const create = (title: string, more: object = {}) => does('createRow', { values: { title, ...more } });
const change = (id: string, changed: object) => does('updateRow', { id, values: changed });

describe('undoRow', () => {
  it('restores the values before the last change, and undone again the changed ones', async () => {
    const { id } = await create('one', { email: 'a@example.org', amount: 1 });
    await change(id, { title: 'two', email: null, amount: 2 });
    expect(values(await does('undoRow', { id }))).toEqual(['one', 'a@example.org', 1]);
    expect(values(await does('getRow', { id }))).toEqual(['one', 'a@example.org', 1]);
    expect(values(await does('undoRow', { id }))).toEqual(['two', null, 2]);
    expect((await does('listRows', { filter: { amount: 2 } })).total).toBe(1);
  });

  it('restores the values at an instant', async () => {
    const row = await create('one', { amount: 1 });
    const second = await change(row.id, { title: 'two' });
    await change(row.id, { title: 'three', amount: 3 });
    expect(values(await does('undoRow', { id: row.id, at: second.updatedAt }))).toEqual(['two', null, 1]);
    expect(values(await does('undoRow', { id: row.id, at: row.createdAt }))).toEqual(['one', null, 1]);
    const before = new Date(Date.parse(row.createdAt) - 1).toISOString();
    expect(await refused('undoRow', { id: row.id, at: before })).toEqual([409, 'row-not-there-then']);
  });

  it('restores a deleted row under its id, reports it as created, and keeps its creation', async () => {
    const row = await create('gone', { email: 'b@example.org' });
    const { id: functionId } = await done(app, 'automations/createFunction', {
      name: `n ${tableId}`,
      code: 'return 1',
    });
    await done(app, 'automations/updateFunction', { id: functionId, isActive: true });
    const target = { targetKind: 'account_function', targetRef: functionId };
    await done(app, 'accountEvents/addEventTrigger', { event: 'base.row_created', ...target });
    await does('deleteRow', { id: row.id });
    expect(await refused('getRow', { id: row.id })).toEqual([404, 'row-not-found']);
    const back = await does('undoRow', { id: row.id });
    expect(back).toEqual({ ...row, updatedAt: expect.any(String) });
    expect((await does('listRows')).rows).toEqual([back]);
    const fired = () => done(app, 'accountEvents/eventTriggerRuns', {});
    const { runs = [] } = await eventually(
      async () => ({ runs: await fired() }),
      (all) => JSON.stringify(all).includes('base.row_created'),
    );
    expect(JSON.stringify(runs)).not.toContain('b@example.org');
  });

  it('of a deleted row whose unique value is taken is refused, and nothing changes', async () => {
    const { id } = await create('one', { email: 'c@example.org' });
    await does('deleteRow', { id });
    await create('two', { email: 'c@example.org' });
    expect(await refused('undoRow', { id })).toEqual([409, 'row-value-taken']);
    expect((await does('listRows')).rows.map(values)).toEqual([['two', 'c@example.org', null]]);
  });

  it('keeps unique values unique: a restored row has its own again', async () => {
    const { id } = await create('one', { email: 'd@example.org' });
    await does('deleteRow', { id });
    await does('undoRow', { id });
    expect(await refused('createRow', { values: { title: 'two', email: 'd@example.org' } })).toEqual([
      409,
      'row-value-taken',
    ]);
  });

  it('leaves out fields that no longer exist', async () => {
    const { id } = await create('one', { amount: 1 });
    await change(id, { amount: 2 });
    const { fields: now } = await done(app, 'bases/getTable', { id: tableId });
    const amount = now.find(({ name }: { name: string }) => name === 'amount').id;
    await does('removeField', { fieldId: amount });
    expect(await does('undoRow', { id })).not.toHaveProperty('amount');
  });

  it('leaves a gap if a field became required later, and removes no required value', async () => {
    const [deleted, changed] = [await create('deleted'), await create('changed')];
    await does('deleteRow', { id: deleted.id });
    await does('addField', { field: { name: 'colour', type: 'text', required: true } });
    expect(await does('undoRow', { id: deleted.id })).toMatchObject({ title: 'deleted', colour: null });
    await change(changed.id, { colour: 'red' });
    expect(await refused('undoRow', { id: changed.id })).toEqual([400, 'row-value-required']);
  });

  it.each([
    ['of the first state of a row', async (id: string) => ({ id }), [409, 'row-not-there-then']],
    [
      'of an erased row, which is final',
      async (id: string) => {
        await change(id, { title: 'two' });
        await does('eraseRow', { id });
        return { id };
      },
      [409, 'row-erased'],
    ],
    ['of a row that never was', async () => ({ id: 'row_never' }), [404, 'row-not-found']],
    ['at no instant', async (id: string) => ({ id, at: 'yesterday' }), [400, 'invalid-input']],
  ] as const)('refuses an undo %s', async (_, bodyOf, expected) => {
    const { id } = await create('one');
    const body = await bodyOf(id);
    const before = await does('listRows');
    expect(await refused('undoRow', body)).toEqual(expected);
    expect(await does('listRows')).toEqual(before);
  });

  it('is refused for rows of a deleted table, and of another table or workspace', async () => {
    const { id } = await create('one');
    await change(id, { title: 'two' });
    const other = await done(app, 'bases/createTable', { baseId, name: 'Others', fields });
    expect(await refused('undoRow', { id, tableId: other.id })).toEqual([404, 'row-not-found']);
    const { ownerKey } = await otherWorkspace(app);
    expect(await refused('undoRow', { id }, ownerKey)).toEqual([404, 'table-not-found']);
    const viewer = await person(app, 'viewer');
    expect((await refused('undoRow', { id }, viewer.key))[0]).toBe(403);
    await done(app, 'bases/deleteTable', { id: tableId });
    expect(await refused('undoRow', { id })).toEqual([409, 'table-deleted']);
  });
});
