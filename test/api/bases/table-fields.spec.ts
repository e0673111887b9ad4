// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
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
const title = { name: 'title', type: 'text' };

describe('a field', () => {
  it.each(['id', '', 7])('cannot be named %j', async (name) => {
    const { id } = await create();
    const field = { name, type: 'text' };
    expect(await wrongPath(call('addField', { tableId: id, field }))).toEqual([400, 'field.name']);
    const sent = { baseId, name: 'New', fields: [field] };
    expect(await wrongPath(call('createTable', sent))).toEqual([400, 'fields[0].name']);
    expect((await get(id)).fields).toEqual([]);
  });

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

  it('has a unique name in its table', async () => {
    const twice = { baseId, name: 'Twice', fields: [title, title] };
    expect(await answer(call('createTable', twice))).toEqual([409, 'field-name-taken']);
    const table = await create({ fields: [title, { name: 'Title', type: 'text' }] });
    const again = { tableId: table.id, field: title };
    expect(await answer(call('addField', again))).toEqual([409, 'field-name-taken']);
    const renamed = { tableId: table.id, fieldId: fieldOf(table, 'Title').id, name: 'title' };
    expect(await answer(call('updateField', renamed))).toEqual([409, 'field-name-taken']);
    expect(await get(table.id)).toEqual(table);
  });

  it('is added by one of 50 simultaneous calls with its name', async () => {
    const { id: tableId } = await create();
    const found = await outcomes(Array.from({ length: 50 }, () => call('addField', { tableId, field: title })));
    expect(found.filter((one) => one === 200)).toHaveLength(1);
    expect(found.filter((one) => one === 'field-name-taken')).toHaveLength(49);
    expect((await get(tableId)).fields).toHaveLength(1);
  });

  it.each([
    ['options of a text', { name: 'f', type: 'text', options: ['a'] }, 'options'],
    ['options that are no strings', { name: 'f', type: 'select', options: ['a', 1] }, 'options'],
    ['half a character as an option', { name: 'f', type: 'select', options: ['\uD800'] }, 'options[0]'],
    [
      'a relation to a table that is not there',
      { name: 'f', type: 'relation', targetTableId: 'tbl_no' },
      'targetTableId',
    ],
    ['an unknown type', { name: 'f', type: 'uuid' }, 'type'],
    ['a flag that is no flag', { name: 'f', type: 'text', required: 'yes' }, 'required'],
    ['a member that is not known', { name: 'f', type: 'text', length: 3 }, 'length'],
  ])('is refused with %s', async (_, field, path) => {
    const { id: tableId } = await create();
    expect(await wrongPath(call('addField', { tableId, field }))).toEqual([400, `field.${path}`]);
    const sent = { baseId, name: 'New', fields: [title, field] };
    expect(await wrongPath(call('createTable', sent))).toEqual([400, `fields[1].${path}`]);
  });

  it('refers only to a table of its own base, which may be its own or part of a cycle', async () => {
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

  it('changes only in what is sent', async () => {
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

  it('can be removed, which frees its name', async () => {
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
