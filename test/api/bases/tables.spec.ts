// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let baseId: string;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  baseId = (await done(app, 'bases/createBase', { name: 'Shop' })).id;
});

interface ShownField {
  readonly id: string;
  readonly name: string;
  readonly [member: string]: unknown;
}
interface ShownTable {
  readonly id: string;
  readonly name: string;
  readonly fields: readonly ShownField[];
  readonly accessRules: object;
  readonly updatedAt: string;
}
const call = (operation: string, body: object, key?: string) => app.call(`bases/${operation}`, body, key);
const create = (body: object = {}, key?: string): Promise<ShownTable> =>
  done(app, 'bases/createTable', { baseId, name: 'Orders', ...body }, key);
const get = (id: string): Promise<ShownTable> => done(app, 'bases/getTable', { id });
const list = (): Promise<readonly ShownTable[]> => done(app, 'bases/listTables', { baseId });
const answer = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.code];
};
const wrongPath = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.errors?.[0]?.path];
};
/** The status of each call, or the code of its refusal. */
const outcomes = async (replies: readonly ReturnType<typeof call>[]) =>
  (await Promise.all(replies)).map(({ status, body }) => body.code ?? status);
const fieldOf = ({ fields }: ShownTable, name: string): ShownField => {
  const found = fields.find((field) => field.name === name);
  if (found === undefined) throw new Error(`The table has no field ${name}.`);
  return found;
};
const types = ['text', 'longText', 'number', 'integer', 'boolean', 'date', 'dateTime', 'email', 'url', 'phone'];
const plainTypes = [...types, 'json', 'file', 'user'];
const title = { name: 'title', type: 'text' };

describe('createTable', () => {
  it('answers the table with its fields, each with an id and all defaults', async () => {
    const table = await create({ fields: [title, { name: 'state', type: 'select', options: ['open', 'done'] }] });
    const plain = { required: false, unique: false, indexed: false, accessRules: {} };
    expect(table).toEqual({
      id: expect.stringMatching(/^tbl_/),
      baseId,
      name: 'Orders',
      description: null,
      fields: [
        { ...plain, ...title, id: expect.stringMatching(/^fld_/) },
        { ...plain, id: expect.stringMatching(/^fld_/), name: 'state', type: 'select', options: ['open', 'done'] },
      ],
      accessRules: {},
      rowCount: 0,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(table.fields[0]?.id).not.toBe(table.fields[1]?.id);
    expect(await get(table.id)).toEqual(table);
    expect(await list()).toEqual([table]);
  });

  it('accepts fields of every type, with the settings of select, multiSelect and relation', async () => {
    const { id, fields: plain } = await create({ fields: plainTypes.map((type) => ({ name: type, type })) });
    expect(plain.map(({ type }) => type)).toEqual(plainTypes);
    const { fields } = await create({
      name: 'Lines',
      fields: [
        { name: 'tags', type: 'multiSelect', options: ['a', 'b'] },
        { name: 'order', type: 'relation', targetTableId: id },
      ],
    });
    expect(fields).toMatchObject([{ options: ['a', 'b'] }, { targetTableId: id }]);
  });

  it('refuses a name that the base has, but accepts it in another base and in another case', async () => {
    await create();
    expect(await answer(call('createTable', { baseId, name: 'Orders' }))).toEqual([409, 'table-name-taken']);
    expect(await create({ name: 'orders' })).toMatchObject({ name: 'orders' });
    const other = await done(app, 'bases/createBase', { name: 'Other' });
    expect(await create({ baseId: other.id })).toMatchObject({ name: 'Orders' });
  });

  it('gives a name to one of 50 simultaneous calls', async () => {
    const found = await outcomes(Array.from({ length: 50 }, () => call('createTable', { baseId, name: 'Race' })));
    expect(found.filter((one) => one === 200)).toHaveLength(1);
    expect(found.filter((one) => one === 'table-name-taken')).toHaveLength(49);
    expect(await list()).toHaveLength(1);
  });

  it('accepts 100 tables in a base and no more, also from simultaneous calls', async () => {
    for (let n = 0; n < 98; n++) await create({ name: `t${n}` });
    const found = await outcomes(
      Array.from({ length: 8 }, (_, n) => call('createTable', { baseId, name: `last${n}` })),
    );
    expect(found.filter((one) => one === 200)).toHaveLength(2);
    expect(found.filter((one) => one === 'too-many-tables')).toHaveLength(6);
    const [first] = await list();
    await done(app, 'bases/deleteTable', { id: first?.id });
    expect(await create({ name: 'after' })).toMatchObject({ name: 'after' });
  });

  it('accepts 200 fields and refuses 201', async () => {
    const fields = Array.from({ length: 201 }, (_, n) => ({ name: `f${n}`, type: 'text' }));
    expect(await wrongPath(call('createTable', { baseId, name: 'Wide', fields }))).toEqual([400, 'fields']);
    const table = await create({ fields: fields.slice(0, 200) });
    expect(table.fields).toHaveLength(200);
    const more = { tableId: table.id, field: { name: 'more', type: 'text' } };
    expect(await answer(call('addField', more))).toEqual([409, 'too-many-fields']);
  });

  it.each(['', 'two\nlines', 7, null])('refuses the name %j', async (name) => {
    expect(await wrongPath(call('createTable', { baseId, name }))).toEqual([400, 'name']);
  });

  it('accepts a name of 64 characters, each counted once', async () => {
    const name = '🍵'.repeat(64);
    expect(await create({ name, fields: [{ name, type: 'text' }] })).toMatchObject({ name, fields: [{ name }] });
  });

  it('repeated with its Idempotency-Key answers the same table', async () => {
    const body = { baseId, name: 'Once', fields: [title, { name: 'b', type: 'date' }] };
    const headers = { 'idempotency-key': `table-${baseId}` };
    const send = () => app.call('bases/createTable', body, undefined, headers);
    const [one, two] = [await send(), await send()];
    expect([one.status, two.body]).toEqual([200, one.body]);
    expect(await list()).toHaveLength(1);
  });

  it('is refused to a read-only key, like every change', async () => {
    const key = await keyOf(app, { kind: 'person', readOnly: true });
    const { id } = await create();
    expect(await answer(call('createTable', { baseId, name: 'x' }, key))).toEqual([403, 'read-only-key']);
    expect(await answer(call('addField', { tableId: id, field: title }, key))).toEqual([403, 'read-only-key']);
    expect((await call('getTable', { id }, key)).status).toBe(200);
  });

  it('in an unknown base, or one of another workspace, is 404', async () => {
    const { ownerKey } = await otherWorkspace(app);
    const body = { baseId, name: 'x' };
    expect(await answer(call('createTable', body, ownerKey))).toEqual([404, 'base-not-found']);
    expect(await answer(call('createTable', { ...body, baseId: 'base_none' }))).toEqual([404, 'base-not-found']);
    expect(await answer(call('listTables', { baseId }, ownerKey))).toEqual([404, 'base-not-found']);
  });

  it('requires an Editor; every member can read', async () => {
    const viewer = (await person(app, 'viewer')).key;
    const { id } = await create({}, (await person(app, 'editor')).key);
    expect(await answer(call('createTable', { baseId, name: 'x' }, viewer))).toEqual([403, 'viewer-refused']);
    expect(await answer(call('deleteTable', { id }, viewer))).toEqual([403, 'viewer-refused']);
    expect((await call('getTable', { id }, viewer)).status).toBe(200);
  });
});

describe('updateTable', () => {
  it('changes the name and the description', async () => {
    const { id } = await create({ description: 'What was sold.' });
    expect(await done(app, 'bases/updateTable', { id, name: 'Sales' })).toMatchObject({
      name: 'Sales',
      description: 'What was sold.',
    });
    expect(await done(app, 'bases/updateTable', { id, description: '' })).toMatchObject({ description: null });
    expect(await create()).toMatchObject({ name: 'Orders' });
    expect(await answer(call('updateTable', { id, name: 'Orders' }))).toEqual([409, 'table-name-taken']);
    expect(await done(app, 'bases/updateTable', { id, name: 'Sales' })).toMatchObject({ name: 'Sales' });
  });

  it('gives a name to one of 50 simultaneous calls', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, (_, n) => create({ name: `t${n}` })));
    const found = await outcomes(made.map(({ id }) => call('updateTable', { id, name: 'Race' })));
    expect(found.filter((one) => one === 200)).toHaveLength(1);
    expect(found.filter((one) => one === 'table-name-taken')).toHaveLength(49);
    expect((await list()).filter(({ name }) => name === 'Race')).toHaveLength(1);
  });
});

describe('deleteTable', () => {
  it('deletes it for good, and frees its name', async () => {
    const { id } = await create();
    expect(await done(app, 'bases/deleteTable', { id })).toEqual({ success: true });
    expect(await answer(call('getTable', { id }))).toEqual([404, 'table-not-found']);
    expect(await answer(call('deleteTable', { id }))).toEqual([404, 'table-not-found']);
    expect(await answer(call('addField', { tableId: id, field: title }))).toEqual([404, 'table-not-found']);
    expect(await list()).toEqual([]);
    expect((await create()).id).not.toBe(id);
  });

  it('keeps its history readable', async () => {
    const { id } = await create({ fields: [title] });
    await done(app, 'bases/updateTable', { id, name: 'Sales' });
    await done(app, 'bases/deleteTable', { id });
    const { events } = await done(app, 'audit/getHistory', { kind: 'table', id });
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['TableCreated', 'TableUpdated', 'TableDeleted']);
  });

  it('is refused to a key that never deletes, like removing a field', async () => {
    const table = await create({ fields: [title] });
    const { key } = await done(app, 'workspace/createApiKey', { name: 'Careful', kind: 'person', neverDeletes: true });
    expect(await answer(call('deleteTable', { id: table.id }, key))).toEqual([403, 'key-never-deletes']);
    const field = { tableId: table.id, fieldId: fieldOf(table, 'title').id };
    expect(await answer(call('removeField', field, key))).toEqual([403, 'key-never-deletes']);
  });
});

describe('setTableAccessRules', () => {
  const everyone = { type: 'public', scope: 'everywhere' };
  const set = (tableId: string, accessRules: object) => call('setTableAccessRules', { tableId, accessRules });

  it('replaces all rules with those sent, including row rules', async () => {
    const fields = [title, { name: 'owner', type: 'user' }, { name: 'mail', type: 'email' }];
    const { id } = await create({ fields });
    const rules = {
      read: everyone,
      create: { type: 'authenticated' },
      update: { any: [{ type: 'creator' }, { type: 'relationship', path: 'owner' }] },
      delete: [
        { type: 'field_match', field: 'title', property: 'name' },
        { type: 'email', field: 'mail' },
      ],
    };
    expect((await set(id, rules)).body.accessRules).toEqual(rules);
    expect((await get(id)).accessRules).toEqual(rules);
    expect((await set(id, { read: everyone, create: null, update: [] })).body.accessRules).toEqual({
      read: everyone,
      update: [],
    });
  });

  it.each([
    [
      'a function rule in a group',
      { read: { any: [everyone, { not: { type: 'function', functionId: 'f' } }] } },
      'accessRules.read.any[1].not',
    ],
    ['a policy that is not there', { update: { policy: 'pol_no' } }, 'accessRules.update.policy'],
    [
      'a field that is not there in a list',
      { delete: [everyone, { type: 'email', field: 'constructor' }] },
      'accessRules.delete[1].field',
    ],
    ['no condition at all', { read: 'everyone' }, 'accessRules.read'],
    ['a right that is not there', { write: everyone }, 'accessRules.write'],
  ])('refuses %s, and changes nothing', async (_, rules, path) => {
    const table = await create({ fields: [title] });
    expect(await wrongPath(set(table.id, rules))).toEqual([400, path]);
    expect(await get(table.id)).toEqual(table);
  });

  it('does not change field rules, which are set with the field', async () => {
    const rule = { type: 'has_role', roleId: 'role_1' };
    const table = await create({ fields: [{ ...title, accessRules: { read: rule } }] });
    const field = fieldOf(table, 'title');
    expect(field['accessRules']).toEqual({ read: rule });
    const change = { tableId: table.id, fieldId: field.id };
    const after = await done(app, 'bases/updateField', { ...change, accessRules: { write: { type: 'creator' } } });
    expect(fieldOf(after, 'title')['accessRules']).toEqual({ write: { type: 'creator' } });
    const gate = { read: { type: 'function', functionId: 'fn_1' } };
    expect(await wrongPath(call('updateField', { ...change, accessRules: gate }))).toEqual([400, 'accessRules.read']);
    const unknown = {
      tableId: table.id,
      field: { name: 'x', type: 'text', accessRules: { read: { type: 'email', field: 'y' } } },
    };
    expect(await wrongPath(call('addField', unknown))).toEqual([400, 'field.accessRules.read.field']);
  });
});
