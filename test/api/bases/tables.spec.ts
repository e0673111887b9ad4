// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';

let app: TestApp;
let baseId: string;
beforeAll(async () => {
  app = await startApp();
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
/** What a call did that may lose a race: its status or, where it was refused, why. */
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
  it('answers the table with its fields, each with an id and everything that it is by default', async () => {
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

  it.each(plainTypes)('takes a field of type %s', async (type) => {
    expect((await create({ fields: [{ name: 'f', type }] })).fields[0]).toMatchObject({ name: 'f', type });
  });

  it('takes fields of the types select, multiSelect and relation with what belongs to them', async () => {
    const { id } = await create();
    const { fields } = await create({
      name: 'Lines',
      fields: [
        { name: 'tags', type: 'multiSelect', options: ['a', 'b'] },
        { name: 'order', type: 'relation', targetTableId: id },
      ],
    });
    expect(fields).toMatchObject([{ options: ['a', 'b'] }, { targetTableId: id }]);
  });

  it('refuses a name that the base has, and takes it in another base and in another case', async () => {
    await create();
    expect(await answer(call('createTable', { baseId, name: 'Orders' }))).toEqual([409, 'table-name-taken']);
    expect(await create({ name: 'orders' })).toMatchObject({ name: 'orders' });
    const other = await done(app, 'bases/createBase', { name: 'Other' });
    expect(await create({ baseId: other.id })).toMatchObject({ name: 'Orders' });
  });

  it('lets one of 50 writers have a name', async () => {
    const found = await outcomes(Array.from({ length: 50 }, () => call('createTable', { baseId, name: 'Race' })));
    expect(found.filter((one) => one === 200)).toHaveLength(1);
    expect(found.filter((one) => one === 'table-name-taken')).toHaveLength(49);
    expect(await list()).toHaveLength(1);
  });

  it('takes 100 tables a base and no more, also of writers who race for the last', async () => {
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

  it('takes 200 fields and refuses 201', async () => {
    const fields = Array.from({ length: 201 }, (_, n) => ({ name: `f${n}`, type: 'text' }));
    expect(await wrongPath(call('createTable', { baseId, name: 'Wide', fields }))).toEqual([400, 'fields']);
    const table = await create({ fields: fields.slice(0, 200) });
    expect(table.fields).toHaveLength(200);
    const more = { tableId: table.id, field: { name: 'more', type: 'text' } };
    expect(await answer(call('addField', more))).toEqual([409, 'too-many-fields']);
  });

  it.each(['', ' ', 'x'.repeat(65), 'two\nlines', 7, null])('refuses the name %j', async (name) => {
    expect(await wrongPath(call('createTable', { baseId, name }))).toEqual([400, 'name']);
  });

  it('takes a name of 64 characters, each counted once', async () => {
    const name = '🍵'.repeat(64);
    expect(await create({ name, fields: [{ name, type: 'text' }] })).toMatchObject({ name, fields: [{ name }] });
  });

  it('made again with its Idempotency-Key answers the same table', async () => {
    const body = { baseId, name: 'Once', fields: [title, { name: 'b', type: 'date' }] };
    const headers = { 'idempotency-key': `table-${baseId}` };
    const send = () => app.call('bases/createTable', body, undefined, headers);
    const [one, two] = [await send(), await send()];
    expect([one.status, two.body]).toEqual([200, one.body]);
    expect(await list()).toHaveLength(1);
  });

  it('is refused when fields, options and rules are more than 2 MB together', async () => {
    const { id: tableId } = await create();
    const options = (n: number) => Array.from({ length: 1_000 }, (_, at) => `${n} ${at} `.padEnd(200, 'x'));
    const add = (n: number) =>
      call('addField', { tableId, field: { name: `f${n}`, type: 'select', options: options(n) } });
    for (let n = 0; n < 10; n++) expect((await add(n)).status).toBe(200);
    expect(await answer(add(10))).toEqual([413, 'table-too-large']);
    expect((await get(tableId)).fields).toHaveLength(10);
  });

  it('is refused to a key that only reads, as every change is', async () => {
    const key = await keyOf(app, { kind: 'person', readOnly: true });
    const { id } = await create();
    expect(await answer(call('createTable', { baseId, name: 'x' }, key))).toEqual([403, 'read-only-key']);
    expect(await answer(call('addField', { tableId: id, field: title }, key))).toEqual([403, 'read-only-key']);
    expect((await call('getTable', { id }, key)).status).toBe(200);
  });

  it('in a base that is not there, or another workspace’s, is 404', async () => {
    const { ownerKey } = await otherWorkspace(app);
    const body = { baseId, name: 'x' };
    expect(await answer(call('createTable', body, ownerKey))).toEqual([404, 'base-not-found']);
    expect(await answer(call('createTable', { ...body, baseId: 'base_none' }))).toEqual([404, 'base-not-found']);
    expect(await answer(call('listTables', { baseId }, ownerKey))).toEqual([404, 'base-not-found']);
  });

  it('is for Editors and up; every member reads', async () => {
    const viewer = (await person(app, 'viewer')).key;
    const { id } = await create({}, (await person(app, 'editor')).key);
    expect(await answer(call('createTable', { baseId, name: 'x' }, viewer))).toEqual([403, 'viewer-refused']);
    expect(await answer(call('deleteTable', { id }, viewer))).toEqual([403, 'viewer-refused']);
    expect((await call('getTable', { id }, viewer)).status).toBe(200);
  });
});

describe('a field', () => {
  it.each(['id', 'createdAt', 'updatedAt', 'createdBy', 'any', 'all', 'not', '', ' ', 'x'.repeat(65), 'a\nb', 7])(
    'is not named %j',
    async (name) => {
      const { id } = await create();
      const field = { name, type: 'text' };
      expect(await wrongPath(call('addField', { tableId: id, field }))).toEqual([400, 'field.name']);
      const sent = { baseId, name: 'New', fields: [field] };
      expect(await wrongPath(call('createTable', sent))).toEqual([400, 'fields[0].name']);
      expect((await get(id)).fields).toEqual([]);
    },
  );

  it.each(['constructor', 'toString', 'hasOwnProperty', 'Id', 'a.b', 'ä ö', '$where', '__defineGetter__'])(
    'may be named %s',
    async (name) => {
      const table = await create({ fields: [{ name, type: 'text' }] });
      expect(table.fields).toMatchObject([{ name }]);
      const { id: fieldId } = fieldOf(table, name);
      expect(await done(app, 'bases/updateField', { tableId: table.id, fieldId, name: 'x' })).toMatchObject({
        fields: [{ name: 'x' }],
      });
    },
  );

  it('is not named __proto__', async () => {
    const { id } = await create();
    const body = `{"tableId":"${id}","field":{"name":"__proto__","type":"text"}}`;
    const headers = { authorization: `Bearer ${app.ownerKey}`, 'content-type': 'application/json' };
    expect((await app.send('POST', '/api/v1/bases/addField', body, headers)).status).toBe(400);
  });

  it('has a name of its own in its table', async () => {
    const twice = { baseId, name: 'Twice', fields: [title, title] };
    expect(await answer(call('createTable', twice))).toEqual([409, 'field-name-taken']);
    const table = await create({ fields: [title, { name: 'Title', type: 'text' }] });
    const again = { tableId: table.id, field: title };
    expect(await answer(call('addField', again))).toEqual([409, 'field-name-taken']);
    const renamed = { tableId: table.id, fieldId: fieldOf(table, 'Title').id, name: 'title' };
    expect(await answer(call('updateField', renamed))).toEqual([409, 'field-name-taken']);
    expect(await get(table.id)).toEqual(table);
  });

  it('of one name is added by one of 50 writers', async () => {
    const { id: tableId } = await create();
    const found = await outcomes(Array.from({ length: 50 }, () => call('addField', { tableId, field: title })));
    expect(found.filter((one) => one === 200)).toHaveLength(1);
    expect(found.filter((one) => one === 'field-name-taken')).toHaveLength(49);
    expect((await get(tableId)).fields).toHaveLength(1);
  });

  it.each([
    ['options of a text', { name: 'f', type: 'text', options: ['a'] }, 'options'],
    ['a select without options', { name: 'f', type: 'select' }, 'options'],
    ['a select with none', { name: 'f', type: 'select', options: [] }, 'options'],
    ['options that are no strings', { name: 'f', type: 'select', options: ['a', 1] }, 'options'],
    ['an empty option', { name: 'f', type: 'select', options: ['a', ''] }, 'options[1]'],
    ['half a character as an option', { name: 'f', type: 'select', options: ['\uD800'] }, 'options[0]'],
    ['an option twice', { name: 'f', type: 'multiSelect', options: ['a', 'b', 'a'] }, 'options[2]'],
    ['an option of 201 characters', { name: 'f', type: 'select', options: ['x'.repeat(201)] }, 'options[0]'],
    [
      '1,001 options',
      { name: 'f', type: 'select', options: Array.from({ length: 1_001 }, (_, n) => `o${n}`) },
      'options',
    ],
    ['a relation to nothing', { name: 'f', type: 'relation' }, 'targetTableId'],
    [
      'a relation to a table that is not there',
      { name: 'f', type: 'relation', targetTableId: 'tbl_no' },
      'targetTableId',
    ],
    ['a text with a target', { name: 'f', type: 'text', targetTableId: 'tbl_no' }, 'targetTableId'],
    ['a unique json', { name: 'f', type: 'json', unique: true }, 'unique'],
    ['a unique multiSelect', { name: 'f', type: 'multiSelect', options: ['a'], unique: true }, 'unique'],
    ['an unknown type', { name: 'f', type: 'uuid' }, 'type'],
    ['a flag that is no flag', { name: 'f', type: 'text', required: 'yes' }, 'required'],
    ['a member that is not known', { name: 'f', type: 'text', length: 3 }, 'length'],
  ])('is refused with %s', async (_, field, path) => {
    const { id: tableId } = await create();
    expect(await wrongPath(call('addField', { tableId, field }))).toEqual([400, `field.${path}`]);
    const sent = { baseId, name: 'New', fields: [title, field] };
    expect(await wrongPath(call('createTable', sent))).toEqual([400, `fields[1].${path}`]);
  });

  it('leads to a table of its own base alone, also to its own and in a circle', async () => {
    const other = await done(app, 'bases/createBase', { name: 'Other' });
    const far = await create({ baseId: other.id });
    const [a, b] = [await create({ name: 'A' }), await create({ name: 'B' })];
    const add = (tableId: string, targetTableId: string) =>
      call('addField', { tableId, field: { name: `to${targetTableId.slice(-6)}`, type: 'relation', targetTableId } });
    expect(await wrongPath(add(a.id, far.id))).toEqual([400, 'field.targetTableId']);
    expect(await outcomes([add(a.id, b.id)])).toEqual([200]);
    expect(await outcomes([add(b.id, a.id)])).toEqual([200]);
    expect(await outcomes([add(a.id, a.id)])).toEqual([200]);
  });

  it('is changed by what is sent and nothing else', async () => {
    const table = await create({ fields: [title, { name: 'state', type: 'select', options: ['open'] }] });
    const { id: fieldId } = fieldOf(table, 'state');
    const change = (body: object): Promise<ShownTable> =>
      done(app, 'bases/updateField', { tableId: table.id, fieldId, ...body });
    const sent = { name: 'status', required: true, unique: true, indexed: true, options: ['open', 'done'] };
    const after = await change(sent);
    expect(after.fields).toEqual([table.fields[0], { ...table.fields[1], ...sent }]);
    expect(await change(sent)).toEqual(after);
    expect(fieldOf(await change({ required: false }), 'status')).toMatchObject({ ...sent, required: false });
    expect(await wrongPath(call('updateField', { tableId: table.id, fieldId, type: 'text' }))).toEqual([400, 'type']);
    expect(await wrongPath(call('updateField', { tableId: table.id, fieldId, options: [] }))).toEqual([400, 'options']);
  });

  it('is removed, and its name is free', async () => {
    const table = await create({ fields: [title] });
    const { id: fieldId } = fieldOf(table, 'title');
    expect(await done(app, 'bases/removeField', { tableId: table.id, fieldId })).toMatchObject({ fields: [] });
    const after = await done(app, 'bases/addField', { tableId: table.id, field: title });
    expect(after.fields[0].id).not.toBe(fieldId);
    const gone = { tableId: table.id, fieldId };
    expect(await answer(call('removeField', gone))).toEqual([404, 'field-not-found']);
    expect(await answer(call('updateField', { ...gone, name: 'x' }))).toEqual([404, 'field-not-found']);
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

  it('lets one of 50 tables of as many writers have a name', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, (_, n) => create({ name: `t${n}` })));
    const found = await outcomes(made.map(({ id }) => call('updateTable', { id, name: 'Race' })));
    expect(found.filter((one) => one === 200)).toHaveLength(1);
    expect(found.filter((one) => one === 'table-name-taken')).toHaveLength(49);
    expect((await list()).filter(({ name }) => name === 'Race')).toHaveLength(1);
  });
});

describe('deleteTable', () => {
  it('ends it for good, and its name is free', async () => {
    const { id } = await create();
    expect(await done(app, 'bases/deleteTable', { id })).toEqual({ success: true });
    expect(await answer(call('getTable', { id }))).toEqual([404, 'table-not-found']);
    expect(await answer(call('deleteTable', { id }))).toEqual([404, 'table-not-found']);
    expect(await answer(call('addField', { tableId: id, field: title }))).toEqual([404, 'table-not-found']);
    expect(await list()).toEqual([]);
    expect((await create()).id).not.toBe(id);
  });

  it('leaves its history to be read', async () => {
    const { id } = await create({ fields: [title] });
    await done(app, 'bases/updateTable', { id, name: 'Sales' });
    await done(app, 'bases/deleteTable', { id });
    const { events } = await done(app, 'audit/getHistory', { kind: 'table', id });
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['TableCreated', 'TableUpdated', 'TableDeleted']);
  });

  it('is refused to a key that never deletes, as removing a field is', async () => {
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

  it('keeps what is sent in the place of what was, row rules too', async () => {
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
    ['a function rule', { read: { type: 'function', functionId: 'fn_1' } }, 'accessRules.read'],
    [
      'a function rule in a group',
      { read: { any: [everyone, { not: { type: 'function', functionId: 'f' } }] } },
      'accessRules.read.any[1].not',
    ],
    ['a policy that is not there', { update: { policy: 'pol_no' } }, 'accessRules.update.policy'],
    [
      'a field that is not there',
      { update: { type: 'field_match', field: 'no', property: 'name' } },
      'accessRules.update.field',
    ],
    [
      'a field that is not there in a list',
      { delete: [everyone, { type: 'email', field: 'constructor' }] },
      'accessRules.delete[1].field',
    ],
    ['a path over no relation', { read: { type: 'relationship', path: 'title' } }, 'accessRules.read.path'],
    ['no condition at all', { read: 'everyone' }, 'accessRules.read'],
    ['a right that is not there', { write: everyone }, 'accessRules.write'],
  ])('refuses %s, and changes nothing', async (_, rules, path) => {
    const table = await create({ fields: [title] });
    expect(await wrongPath(set(table.id, rules))).toEqual([400, path]);
    expect(await get(table.id)).toEqual(table);
  });

  it('takes a path over relation fields, dots in their names too', async () => {
    const { id: tableId } = await create({ fields: [{ name: 'the.owner', type: 'user' }] });
    const field = { name: 'part.of', type: 'relation', targetTableId: tableId };
    await done(app, 'bases/addField', { tableId, field });
    for (const path of ['the.owner', 'part.of.the.owner', 'part.of.part.of.the.owner']) {
      expect((await set(tableId, { read: { type: 'relationship', path } })).status).toBe(200);
    }
    for (const path of ['part.of', 'the', 'the.owner.x', 'owner', 'no']) {
      const rules = { read: { type: 'relationship', path } };
      expect(await wrongPath(set(tableId, rules))).toEqual([400, 'accessRules.read.path']);
    }
  });

  it('has its field rules beside it, which are set with the field', async () => {
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

  it('lets rules follow a field to its new name, and field rules too', async () => {
    const mine = { type: 'relationship', path: 'owner' };
    const table = await create({
      fields: [
        { name: 'owner', type: 'user' },
        { ...title, accessRules: { write: { any: [mine, everyone] } } },
      ],
    });
    await set(table.id, { read: [mine, { type: 'field_match', field: 'owner', property: 'name' }], update: everyone });
    const fieldId = fieldOf(table, 'owner').id;
    const after = await done(app, 'bases/updateField', { tableId: table.id, fieldId, name: 'keeper' });
    const now = { type: 'relationship', path: 'keeper' };
    expect(after.accessRules).toEqual({
      read: [now, { type: 'field_match', field: 'keeper', property: 'name' }],
      update: everyone,
    });
    expect(fieldOf(after, 'title')['accessRules']).toEqual({ write: { any: [now, everyone] } });
  });
});
