// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let baseId: string;
let tableId: string;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

type Row = Record<string, unknown> & { readonly id: string; readonly updatedAt: string };
const fields = [
  { name: 'title', type: 'text', required: true },
  { name: 'email', type: 'email', unique: true },
  { name: 'amount', type: 'number', indexed: true },
];
beforeEach(async () => {
  baseId = (await done(app, 'bases/createBase', { name: `Base ${Math.random()}` })).id;
  tableId = (await done(app, 'bases/createTable', { baseId, name: 'Orders', fields })).id;
});

const call = (operation: string, body: object, key?: string, headers?: Record<string, string>) =>
  app.call(`bases/${operation}`, { tableId, ...body }, key, headers);
const does = (operation: string, body: object = {}, key?: string) =>
  done(app, `bases/${operation}`, { tableId, ...body }, key);
const create = (values: object, key?: string): Promise<Row> => does('createRow', { values }, key);
const list = async (body: object = {}): Promise<readonly Row[]> => (await does('listRows', body)).rows;
const answer = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.code];
};

describe('createRow', () => {
  it('answers the row by field names, as getRow and listRows show it', async () => {
    const row = await create({ title: 'First', amount: 3 });
    expect(row).toEqual({
      id: expect.stringMatching(/^row_/),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      createdBy: null,
      title: 'First',
      email: null,
      amount: 3,
    });
    expect(await does('getRow', { id: row.id })).toEqual(row);
    expect(await does('listRows')).toEqual({ rows: [row], total: 1, nextCursor: null, hiddenFields: [] });
    expect(await does('countRows')).toEqual({ count: 1 });
    expect((await done(app, 'bases/getTable', { id: tableId })).rowCount).toBe(1);
  });

  it('refuses a row without a required value, and records nothing', async () => {
    expect(await answer(call('createRow', { values: { amount: 1 } }))).toEqual([400, 'row-value-required']);
    expect(await answer(call('createRow', { values: { title: '' } }))).toEqual([400, 'row-value-required']);
    expect(await list()).toEqual([]);
  });

  it('repeated with its Idempotency-Key answers the same row', async () => {
    const headers = { 'idempotency-key': `once-${Math.random()}` };
    const [one, two] = [
      await call('createRow', { values: { title: 'Once' } }, undefined, headers),
      await call('createRow', { values: { title: 'Once' } }, undefined, headers),
    ];
    expect([one.status, two.body]).toEqual([200, one.body]);
    expect(await list()).toHaveLength(1);
  });

  it('creates one row from 50 simultaneous calls with one unique value', async () => {
    const racing = Array.from({ length: 50 }, (_, n) =>
      answer(call('createRow', { values: { title: `Racer ${n}`, email: 'a@example.com' } })),
    );
    const answers = await Promise.all(racing);
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
    expect(answers.filter(([, code]) => code === 'row-value-taken')).toHaveLength(49);
    expect(await list()).toHaveLength(1);
  }, 60_000);
});

describe('a unique value', () => {
  it('may be missing in any number of rows', async () => {
    await create({ title: 'one' });
    await create({ title: 'two', email: null });
    expect(await list()).toHaveLength(2);
  });

  it.each(['updateRow', 'deleteRow', 'eraseRow'])('is free again after %s', async (operation) => {
    const { id } = await create({ title: 'first', email: 'a@example.com' });
    await does(operation, { id, ...(operation === 'updateRow' ? { values: { email: 'b@example.com' } } : {}) });
    const next = await create({ title: 'second', email: 'a@example.com' });
    const taken = call('updateRow', { id: next.id, values: { email: 'b@example.com' } });
    expect((await taken).status).toBe(operation === 'updateRow' ? 409 : 200);
  });

  it('of a field that becomes unique later is checked for existing rows', async () => {
    const table = await done(app, 'bases/getTable', { id: tableId });
    const title = table.fields.find(({ name }: { name: string }) => name === 'title');
    await create({ title: 'Known' });
    await done(app, 'bases/updateField', { tableId, fieldId: title.id, unique: true });
    expect(await answer(call('createRow', { values: { title: 'Known' } }))).toEqual([409, 'row-value-taken']);
    expect((await call('createRow', { values: { title: 'Other' } })).status).toBe(200);
  });

  it('may occur once in the rows of one command', async () => {
    const rows = [
      { title: 'one', email: 'a@example.com' },
      { title: 'two', email: 'a@example.com' },
    ];
    expect(await answer(call('createRows', { rows }))).toEqual([409, 'row-value-taken']);
    expect(await list()).toEqual([]);
  });
});

describe('updateRow', () => {
  it('changes sent fields, and null removes a value', async () => {
    const row = await create({ title: 'First', amount: 3, email: 'a@example.com' });
    const after = await does('updateRow', { id: row.id, values: { amount: null, title: 'Second' } });
    expect(after).toEqual({ ...row, title: 'Second', amount: null, updatedAt: expect.any(String) });
    expect(after.updatedAt > row.updatedAt).toBe(true);
    expect(await list()).toEqual([after]);
  });

  it('records nothing without a change', async () => {
    const row = await create({ title: 'First' });
    expect(await does('updateRow', { id: row.id, values: { title: 'First' } })).toEqual(row);
  });

  it('refuses a change if the row was changed after it was read', async () => {
    const { id, updatedAt: seenUpdatedAt } = await create({ title: 'First' });
    await does('updateRow', { id, values: { title: 'Second' }, seenUpdatedAt });
    const late = call('updateRow', { id, values: { title: 'Third' }, seenUpdatedAt });
    expect(await answer(late)).toEqual([409, 'row-changed-since']);
  });

  it('of 20 at once applies all changes', async () => {
    const { id } = await create({ title: 'First' });
    await Promise.all(Array.from({ length: 20 }, (_, amount) => does('updateRow', { id, values: { amount } })));
    const { events } = await done(app, 'audit/getHistory', { kind: 'row', id });
    expect(events).toHaveLength(21);
  }, 60_000);
});

describe('upsertRow', () => {
  it('creates a missing row, and changes an existing one', async () => {
    const first = await does('upsertRow', { match: { title: 'Key' }, values: { amount: 1 } });
    const second = await does('upsertRow', { match: { title: 'Key' }, values: { amount: 2 } });
    expect(second).toEqual({ ...first, amount: 2, updatedAt: expect.any(String) });
    expect(await list()).toEqual([second]);
  });

  it('of 50 at once creates one row', async () => {
    const racing = Array.from({ length: 50 }, (_, amount) =>
      does('upsertRow', { match: { title: 'Key' }, values: { amount } }),
    );
    const ids = new Set((await Promise.all(racing)).map(({ id }) => id));
    expect([ids.size, (await list()).length]).toEqual([1, 1]);
  }, 60_000);

  it('refuses a match that fits several rows, and one without a field', async () => {
    await create({ title: 'Key' });
    await create({ title: 'Key' });
    expect(await answer(call('upsertRow', { match: { title: 'Key' }, values: {} }))).toEqual([409, 'several-rows']);
    expect(await answer(call('upsertRow', { match: {}, values: {} }))).toEqual([400, 'match-empty']);
  });

  it('repeated finds a row whose value was changed to the match', async () => {
    const { id } = await does('upsertRow', { match: { title: 'A' }, values: {} });
    await does('updateRow', { id, values: { title: 'B' } });
    expect((await does('upsertRow', { match: { title: 'A' }, values: {} })).id).not.toBe(id);
    expect((await does('upsertRow', { match: { title: 'B' }, values: {} })).id).toBe(id);
  });
});

describe('many rows', () => {
  it('are created, changed and deleted all together', async () => {
    const sent = Array.from({ length: 1_000 }, (_, n) => ({
      title: `Row ${n}`,
      email: `r${n}@example.com`,
      amount: n,
    }));
    const { rows } = await does('createRows', { rows: sent });
    expect(rows.map(({ title }: Row) => title)).toEqual(sent.map(({ title }) => title));
    expect((await list({ limit: 1_000 })).map(({ amount }) => amount)).toEqual(sent.map(({ amount }) => amount));
    const changed = await does('updateRows', { rows: rows.map(({ id }: Row) => ({ id, values: { amount: 0 } })) });
    expect(changed.rows.every(({ amount }: Row) => amount === 0)).toBe(true);
    expect(await does('deleteRows', { ids: rows.slice(1).map(({ id }: Row) => id) })).toEqual({ deleted: 999 });
    expect(await list()).toEqual([changed.rows[0]]);
  }, 60_000);

  it('are refused together if one of them is', async () => {
    const { id } = await create({ title: 'There', email: 'a@example.com' });
    const rows = [{ title: 'New' }, { title: 'Too', email: 'a@example.com' }];
    expect(await answer(call('createRows', { rows }))).toEqual([409, 'row-value-taken']);
    const changes = [
      { id, values: { title: 'Changed' } },
      { id: 'row_none', values: {} },
    ];
    expect(await answer(call('updateRows', { rows: changes }))).toEqual([404, 'row-not-found']);
    expect(await answer(call('deleteRows', { ids: [id, 'row_none'] }))).toEqual([404, 'row-not-found']);
    expect(await answer(call('deleteRows', { ids: [id, id] }))).toEqual([400, 'row-named-twice']);
    expect((await list()).map(({ title }) => title)).toEqual(['There']);
  });

  it('are 1,000 at most', async () => {
    const rows = Array.from({ length: 1_001 }, () => ({ title: 'One too many' }));
    expect((await call('createRows', { rows })).status).toBe(400);
  });
});

describe('a row', () => {
  it('belongs to its table only', async () => {
    const { id } = await create({ title: 'Here' });
    const other = await done(app, 'bases/createTable', { baseId, name: 'Other', fields });
    for (const [operation, body] of [
      ['getRow', {}],
      ['updateRow', { values: { title: 'There' } }],
      ['deleteRow', {}],
      ['eraseRow', {}],
    ] as const) {
      const refused = app.call(`bases/${operation}`, { tableId: other.id, id, ...body });
      expect(await answer(refused)).toEqual([404, 'row-not-found']);
    }
  });

  it('belongs to its workspace only', async () => {
    const { id } = await create({ title: 'Here' });
    const { ownerKey } = await otherWorkspace(app);
    for (const operation of ['getRow', 'listRows', 'countRows', 'deleteRow', 'eraseRow']) {
      const body = operation === 'listRows' || operation === 'countRows' ? {} : { id };
      expect(await answer(call(operation, body, ownerKey))).toEqual([404, 'table-not-found']);
    }
  });

  it('can be read by a Viewer, and changed by an Editor', async () => {
    const [viewer, editor] = [await person(app, 'viewer'), await person(app, 'editor')];
    const { id } = await create({ title: 'One' }, editor.key);
    expect((await call('getRow', { id }, viewer.key)).status).toBe(200);
    expect((await call('deleteRow', { id }, viewer.key)).status).toBe(403);
  });

  it('that was deleted is in no list, but still has a history', async () => {
    const { id } = await create({ title: 'Gone' });
    expect(await does('deleteRow', { id })).toEqual({ success: true });
    expect(await answer(call('getRow', { id }))).toEqual([404, 'row-not-found']);
    expect([await list(), await does('countRows')]).toEqual([[], { count: 0 }]);
    const { events } = await done(app, 'audit/getHistory', { kind: 'row', id });
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['RowCreated', 'RowDeleted']);
    expect(Object.values(events[0].data.values)).toEqual(['Gone']);
  });

  it('keeps its values if a field is renamed', async () => {
    const { id } = await create({ title: 'Kept' });
    const [title] = (await done(app, 'bases/getTable', { id: tableId })).fields;
    await done(app, 'bases/updateField', { tableId, fieldId: title.id, name: 'caption' });
    expect((await does('getRow', { id })).caption).toBe('Kept');
  });
});

describe('pages of a list', () => {
  it('continue correctly while rows are added and removed', async () => {
    await does('createRows', { rows: Array.from({ length: 30 }, (_, amount) => ({ title: 't', amount })) });
    const sort = [{ field: 'amount', dir: 'desc' }];
    const first = await does('listRows', { sort, limit: 10 });
    await create({ title: 'before', amount: 100 });
    await does('deleteRow', { id: first.rows[9].id });
    const second = await does('listRows', { sort, limit: 10, cursor: first.nextCursor });
    expect(second.rows.map(({ amount }: Row) => amount)).toEqual([19, 18, 17, 16, 15, 14, 13, 12, 11, 10]);
    const third = await does('listRows', { sort, limit: 10, cursor: second.nextCursor });
    expect([third.rows.at(-1).amount, third.nextCursor]).toEqual([0, null]);
  });

  it.each([
    ['x', 90_000],
    ['"', 130_000],
  ])('continue after a sorted value that repeats %s %i times', async (character, times) => {
    const titles = ['a', 'b', 'c'].map((first) => first + character.repeat(times));
    for (const title of titles.toReversed()) await create({ title });
    let cursor: string | undefined;
    for (const title of titles) {
      const page = await does('listRows', { sort: [{ field: 'title' }], limit: 1, ...(cursor && { cursor }) });
      expect(page.rows.map((row: Row) => row['title'] === title)).toEqual([true]);
      cursor = page.nextCursor;
    }
    expect(cursor).toBeNull();
  });

  it('refuse an invalid cursor and one of another order or table', async () => {
    await does('createRows', { rows: [{ title: 'a' }, { title: 'b' }] });
    const { nextCursor: cursor } = await does('listRows', { limit: 1 });
    const other = (await done(app, 'bases/createTable', { baseId, name: 'Other', fields })).id;
    for (const body of [
      { cursor, sort: [{ field: 'title', dir: 'asc' }] },
      { cursor, tableId: other },
      { cursor: 'x' },
    ]) {
      expect(await answer(call('listRows', body))).toEqual([400, 'cursor-of-another-list']);
    }
  });
});

describe('a field that the table does not have', () => {
  it.each([
    ['createRow', { values: { titel: 1 } }],
    ['createRows', { rows: [{ titel: 1 }] }],
    ['upsertRow', { match: { titel: 1 }, values: {} }],
    ['upsertRow', { match: { title: 'x' }, values: { constructor: 1 } }],
    ['listRows', { filter: { titel: 1 } }],
    ['listRows', { sort: [{ field: 'toString', dir: 'asc' }] }],
    ['countRows', { filter: { not: { titel: 1 } } }],
    ['reportRows', { spec: { measures: [{ op: 'sum', field: 'titel' }] } }],
  ])('is refused by %s, with the names of the fields: %j', async (operation, body) => {
    const { status, body: problem } = await call(operation, body);
    expect([status, problem.code]).toEqual([400, 'unknown-field']);
    expect(problem.fields).toEqual(fields.map(({ name }) => name));
    expect(await list()).toEqual([]);
  });

  it('is refused by updateRow', async () => {
    const row = await create({ title: 'x' });
    expect(await answer(call('updateRow', { id: row.id, values: { titel: 1 } }))).toEqual([400, 'unknown-field']);
    expect(await list()).toEqual([row]);
  });
});

describe('values that do not fit', () => {
  it('are reported with their path, and nothing is recorded', async () => {
    const rows = [{ title: 'fits' }, { title: 'does not', amount: 'many' }];
    const { status, body } = await call('createRows', { rows });
    expect([status, body.code]).toEqual([400, 'invalid-input']);
    expect(JSON.stringify(body.errors)).toContain('rows[1].amount');
    expect(await list()).toEqual([]);
  });

  it('are refused if the row would be larger than 256 KB, including its other values', async () => {
    const { id } = await create({ title: 'x'.repeat(200_000) });
    const more = call('updateRow', { id, values: { email: `${'y'.repeat(60_000)}@example.com` } });
    expect((await more).status).toBeGreaterThanOrEqual(400);
    expect((await call('createRow', { values: { title: 'x'.repeat(270_000) } })).status).toBeGreaterThanOrEqual(400);
    expect(await list()).toHaveLength(1);
  });
});

describe('a list', () => {
  it('can be filtered, searched, sorted, counted and reported', async () => {
    await does('createRows', {
      rows: [
        { title: 'Green tea', amount: 3 },
        { title: 'Black tea', amount: 5 },
        { title: 'Coffee', amount: 4 },
        { title: 'Nothing' },
      ],
    });
    const titles = async (body: object) => (await list(body)).map(({ title }) => title);
    expect(await titles({ filter: { amount: { gt: 3 } }, sort: [{ field: 'amount', dir: 'desc' }] })).toEqual([
      'Black tea',
      'Coffee',
    ]);
    expect(await titles({ search: 'TEA', sort: [{ field: 'title', dir: 'asc' }] })).toEqual(['Black tea', 'Green tea']);
    expect(await titles({ filter: { amount: null } })).toEqual(['Nothing']);
    expect(await titles({ sort: [{ field: 'amount', dir: 'asc' }] })).toEqual([
      'Green tea',
      'Coffee',
      'Black tea',
      'Nothing',
    ]);
    expect(await does('countRows', { filter: { any: [{ amount: 3 }, { title: { contains: 'off' } }] } })).toEqual({
      count: 2,
    });
    const spec = { measures: [{ op: 'sum', field: 'amount' }, { op: 'count' }] };
    expect(await does('reportRows', { spec })).toEqual({ groups: [{ sum_amount: 12, count: 4 }] });
  });

  it.each([
    { amount: null },
    { title: { ne: 'x' } },
    { any: [{ title: 'Here' }, { amount: null }] },
    { not: { amount: 1 } },
  ])('filtered by %j shows only rows of its table', async (filter) => {
    const { id } = await create({ title: 'Here' });
    const other = await done(app, 'bases/createTable', { baseId, name: 'Other', fields });
    for (const title of ['Here', 'There']) {
      await done(app, 'bases/createRow', { tableId: other.id, values: { title } });
    }
    expect((await list({ filter, search: '' })).map((row) => row.id)).toEqual([id]);
    expect(await does('countRows', { filter })).toEqual({ count: 1 });
  });
});
