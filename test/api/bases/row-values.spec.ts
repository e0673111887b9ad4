import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let tableId: string;
const fields = [
  { name: 'text', type: 'text' },
  { name: 'longText', type: 'longText' },
  { name: 'number', type: 'number' },
  { name: 'integer', type: 'integer' },
  { name: 'boolean', type: 'boolean' },
  { name: 'date', type: 'date' },
  { name: 'dateTime', type: 'dateTime' },
  { name: 'email', type: 'email' },
  { name: 'url', type: 'url' },
  { name: 'phone', type: 'phone' },
  { name: 'select', type: 'select', options: ['open', 'done'] },
  { name: 'multiSelect', type: 'multiSelect', options: ['a', 'b', 'c'] },
  { name: 'json', type: 'json' },
  { name: 'file', type: 'file' },
  { name: 'user', type: 'user' },
  { name: 'constructor', type: 'text' },
];
const names = [...fields.map(({ name }) => name), 'relation'];
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  const { id: baseId } = await done(app, 'bases/createBase', { name: 'Values' });
  tableId = (await done(app, 'bases/createTable', { baseId, name: 'All', fields })).id;
  const relation = { name: 'relation', type: 'relation', targetTableId: tableId };
  await done(app, 'bases/addField', { tableId, field: relation });
});

const call = (operation: string, body: object) => app.call(`bases/${operation}`, { tableId, ...body });
const does = (operation: string, body: object) => done(app, `bases/${operation}`, { tableId, ...body });
const create = (values: object) => does('createRow', { values });
const wrong = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.code, body.fields ?? body.errors?.[0]?.path];
};

describe('the values of a row', () => {
  it('are read as they were sent, for every type', async () => {
    const { id: other } = await create({ text: 'other' });
    const values = {
      text: 'ä\u0001🍵 "quoted" \n',
      longText: 'x'.repeat(50_000),
      number: -1.5e-300,
      integer: 9007199254740991,
      boolean: false,
      date: '2024-02-29',
      dateTime: '2026-11-22T10:00:00.123Z',
      email: 'Ada@example.com',
      url: 'https://example.com/a?b=c#d',
      phone: '+44 20 7946 0958',
      select: 'done',
      multiSelect: ['c', 'a'],
      json: { a: [1, null, { $b: 'c.d' }], toString: 'x' },
      file: 'file_1',
      user: 'usr_1',
      constructor: 'built',
      relation: other,
    };
    const { id, ...row } = await create(values);
    expect(row).toMatchObject(values);
    expect(await does('getRow', { id })).toEqual({ id, ...row });
    expect((await does('listRows', { filter: { id } })).rows).toEqual([{ id, ...row }]);
  });

  it('of type relation refer to an existing row of the related table', async () => {
    const { id: gone } = await create({});
    await does('deleteRow', { id: gone });
    const { baseId } = await done(app, 'bases/getTable', { id: tableId });
    const other = await done(app, 'bases/createTable', { baseId, name: 'Other', fields: [] });
    const far = await done(app, 'bases/createRow', { tableId: other.id, values: {} });
    const { id } = await create({});
    for (const relation of ['row_none', gone, far.id]) {
      const refused = [400, 'invalid-input', 'values.relation'];
      expect(await wrong(call('createRow', { values: { relation } }))).toEqual(refused);
      expect(await wrong(call('updateRow', { id, values: { relation } }))).toEqual(refused);
      const rows = [{ relation: id }, { relation }];
      expect(await wrong(call('createRows', { rows }))).toEqual([400, 'invalid-input', 'rows[1].relation']);
      const upsert = { match: { relation }, values: {} };
      expect(await wrong(call('upsertRow', upsert))).toEqual([400, 'invalid-input', 'match.relation']);
    }
    expect(await does('updateRow', { id, values: { relation: id } })).toMatchObject({ relation: id });
    const { id: second } = await create({ relation: id });
    await does('deleteRow', { id });
    expect(await does('getRow', { id: second })).toMatchObject({ relation: id });
    expect(await does('updateRow', { id: second, values: { relation: null } })).toMatchObject({ relation: null });
  });

  it('of type dateTime are answered in UTC, whatever offset was sent', async () => {
    expect(await create({ dateTime: '2026-11-22T10:00+02:00' })).toMatchObject({
      dateTime: '2026-11-22T08:00:00.000Z',
    });
    expect(await create({ dateTime: '2026-11-22' })).toMatchObject({ dateTime: '2026-11-22T00:00:00.000Z' });
  });

  it.each([
    ['text', 1],
    ['text', ['a']],
    ['longText', {}],
    ['number', '1'],
    ['integer', 1.5],
    ['integer', 9007199254740992],
    ['boolean', 'true'],
    ['date', '22.11.2026'],
    ['date', '2026-02-30'],
    ['date', '2026-11-22T00:00:00Z'],
    ['dateTime', '2026-11-22T10:00:00'],
    ['dateTime', 1763769600],
    ['email', 'ada'],
    ['url', 'javascript:alert(1)'],
    ['phone', 'call me'],
    ['select', 'gone'],
    ['select', 'toString'],
    ['multiSelect', 'a'],
    ['multiSelect', ['a', 'd']],
    ['file', '../etc'],
    ['user', { id: 'usr_1' }],
    ['relation', ['row_1']],
  ])('of type %s cannot be %j, on creation and on change', async (name, value) => {
    const { id } = await create({});
    const values = { [name]: value };
    const refused = [400, 'invalid-input', `values.${name}`];
    expect(await wrong(call('createRow', { values }))).toEqual(refused);
    expect(await wrong(call('updateRow', { id, values }))).toEqual(refused);
    expect(await wrong(call('upsertRow', { match: { text: 'x' }, values }))).toEqual(refused);
    expect((await does('countRows', {})).count).toBe(1);
  });

  it.each(['1e400', '-1e999'])('cannot be the number %s', async (number) => {
    const body = `{"tableId":"${tableId}","values":{"number":${number}}}`;
    const headers = { authorization: `Bearer ${app.ownerKey}`, 'content-type': 'application/json' };
    expect((await app.send('POST', '/api/v1/bases/createRow', body, headers)).status).toBe(400);
  });

  it('report the wrong row of many, and none is created', async () => {
    const rows = [{ number: 1 }, { number: 2 }, { number: 'three' }];
    expect(await wrong(call('createRows', { rows }))).toEqual([400, 'invalid-input', 'rows[2].number']);
    const { id } = await create({ number: 1 });
    const { id: second } = await create({ number: 2 });
    const changes = [
      { id, values: { number: 5 } },
      { id: second, values: { number: 'five' } },
    ];
    expect(await wrong(call('updateRows', { rows: changes }))).toEqual([400, 'invalid-input', 'rows[1].values.number']);
    expect((await does('listRows', { sort: [{ field: 'number' }] })).rows).toMatchObject([
      { number: 1 },
      { number: 2 },
    ]);
  });

  it('of an unknown field are refused at every entrance, with the names of the fields, and nothing is written', async () => {
    const { id } = await create({ text: 'a' });
    const unknown = [400, 'unknown-field', names];
    for (const name of ['colour', 'id', 'createdAt', 'createdBy', 'toString']) {
      const values = { text: 'b', [name]: 'x' };
      expect(await wrong(call('createRow', { values }))).toEqual(unknown);
      expect(await wrong(call('createRows', { rows: [{ text: 'b' }, values] }))).toEqual(unknown);
      expect(await wrong(call('updateRow', { id, values }))).toEqual(unknown);
      expect(await wrong(call('updateRows', { rows: [{ id, values }] }))).toEqual(unknown);
      expect(await wrong(call('upsertRow', { match: values, values: {} }))).toEqual(unknown);
      expect(await wrong(call('upsertRow', { match: { text: 'b' }, values }))).toEqual(unknown);
    }
    expect((await does('listRows', {})).rows).toMatchObject([{ id, text: 'a' }]);
  });

  it('may have 256 KB together, including unchanged ones', async () => {
    const { id } = await create({ longText: 'x'.repeat(200_000) });
    const values = { text: 'y'.repeat(100_000) };
    expect((await call('updateRow', { id, values })).body.code).toBe('row-too-large');
    expect((await call('createRow', { values: { text: 'x'.repeat(262_144) } })).body.code).toBe('row-too-large');
    expect((await call('createRow', { values: { text: 'x'.repeat(900_000) } })).status).toBe(400);
    expect(await does('getRow', { id })).toMatchObject({ text: null });
  });

  it('of a removed field are no longer shown, and a new field of its name does not have them', async () => {
    const { id } = await create({ text: 'old' });
    const table = await done(app, 'bases/getTable', { id: tableId });
    const fieldId = table.fields.find(({ name }: { name: string }) => name === 'text').id;
    await does('removeField', { fieldId });
    expect(await does('getRow', { id })).not.toHaveProperty('text');
    await does('addField', { field: { name: 'text', type: 'number' } });
    expect(await does('getRow', { id })).toMatchObject({ text: null });
    expect(await does('updateRow', { id, values: { text: 5 } })).toMatchObject({ text: 5 });
  });
});

describe('making a field unique', () => {
  const fieldId = async (name: string) => {
    const table = await done(app, 'bases/getTable', { id: tableId });
    return table.fields.find((field: { name: string }) => field.name === name);
  };

  it('is refused while two rows have the same value, but not while several have none', async () => {
    const [one] = [await create({ email: 'a@example.com', number: 1 }), await create({ email: 'a@example.com' })];
    const { id } = await fieldId('email');
    const { status, body } = await call('updateField', { fieldId: id, unique: true });
    expect([status, body.code, body.detail]).toEqual([409, 'values-not-unique', expect.stringContaining('2 rows')]);
    expect(await fieldId('email')).toMatchObject({ unique: false });
    await does('updateRow', { id: one.id, values: { email: 'b@example.com' } });
    await create({});
    await does('updateField', { fieldId: id, unique: true });
    expect(await fieldId('email')).toMatchObject({ unique: true });
    expect((await call('createRow', { values: { email: 'b@example.com' } })).body.code).toBe('row-value-taken');
    expect((await does('updateField', { fieldId: (await fieldId('number')).id, unique: true })).id).toBe(tableId);
  });

  it('while rows are created leaves no duplicates, or is refused', async () => {
    const { id } = await fieldId('integer');
    const writes = Array.from({ length: 30 }, (_, n) => call('createRow', { values: { integer: n % 15 } }));
    const [, ...replies] = await Promise.all([call('updateField', { fieldId: id, unique: true }), ...writes]);
    const made = replies.filter(({ status }) => status === 200).map(({ body }) => body.integer);
    const { unique } = await fieldId('integer');
    expect(unique ? new Set(made).size : made.length).toBe(made.length);
  });
});
