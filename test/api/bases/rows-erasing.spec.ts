// Engines: one process.
// Second tier.
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { projections } from '../../../projections/projections.js';
import { ProjectionMaintenance } from '../../../src/engine/projections/projection-maintenance.js';
import { parseStream } from '../../../src/kernel/event/stream-name.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { ReadStore } from '../../../src/ports/read-store.port.js';
import { Vault } from '../../../src/ports/vault.port.js';
import type { TestApp } from '../../support/app.js';
import { takes } from '../../support/clocks/delays.js';
import { eventually } from '../../support/eventually.js';
import { MortalApps } from '../../support/given/mortal-apps.js';
import { done } from '../../support/people.js';
import { entriesHolding, filesHolding } from '../../support/stores/kept-texts.js';
import { cli, embedded, Folders } from '../../support/stores/log-transfer.js';

const folders = new Folders();
const mortal = new MortalApps();
const { fate } = mortal;
let app: TestApp;
let workspaceId: string;
let baseId: string;
let tableId: string;

/** Of each test, because the files of the service hold what the earlier ones left. */
let secret = 'Zyxomma';
const fields = [
  { name: 'title', type: 'text', indexed: true },
  { name: 'key', type: 'text', unique: true },
  { name: 'facts', type: 'json' },
];

beforeAll(async () => {
  app = await mortal.begin(folders.make());
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
});
beforeEach(async () => {
  secret = `Zyxomma-${crypto.randomUUID()}`;
  baseId = (await done(app, 'bases/createBase', { name: 'Back office' })).id;
  tableId = await table('Orders');
});
afterAll(async () => {
  await mortal.close();
  folders.remove();
});

const on = (dataDir = app.dataDir) => ({ ...embedded, DATA_DIR: dataDir });
const table = async (name: string) => (await done(app, 'bases/createTable', { baseId, name, fields })).id;
const does = (operation: string, body: object = {}) => done(app, `bases/${operation}`, { tableId, ...body });

const filesWith = (folder: string) => filesHolding(folder, secret);

/** Once a list is answered, the read model's files contain the row too. */
const written = async () => {
  await does('listRows', { limit: 1 });
  expect(filesWith(app.dataDir)).not.toEqual([]);
};

const nothingLeft = () =>
  eventually(
    async () => filesWith(app.dataDir),
    (files) => files.length === 0,
  );

const keyOf = async (id: string) => (await app.app.get(Vault).open(`personal/${workspaceId}/row.${id}`))?.length;

const keysGone = (ids: readonly string[]) =>
  eventually(
    () => Promise.all(ids.map(keyOf)),
    (lengths) => lengths.every((length) => length === 0),
  );

const historyOf = async (id: string) =>
  (await done(app, 'audit/getHistory', { kind: 'row', id })).events as readonly {
    readonly type: string;
    readonly data: { readonly values?: unknown };
  }[];

const full = (n = 0) => ({ title: `${secret} ${n}`, key: `${secret}-key-${n}`, facts: { said: [secret, n] } });

describe('the values of a row', () => {
  it('are in the clear only in the read model', async () => {
    const { id } = await does('createRow', { values: full() });
    await does('updateRow', { id, values: { title: `${secret} again` } });
    await does('listRows', { search: secret });
    expect(filesWith(app.dataDir).filter((name) => !name.startsWith('read.db'))).toEqual([]);
    expect((await historyOf(id)).map(({ data }) => JSON.stringify(data.values).includes(secret))).toEqual([true, true]);
  }, 60_000);

  it('are nowhere after its erasure: not in a file, nor in a later backup or export', async () => {
    const { id } = await does('createRow', { values: full(1) });
    await does('updateRow', { id, values: { title: `${secret} again` } });
    const { id: stays } = await does('createRow', { values: { title: 'plain' } });
    await written();
    expect(await does('eraseRow', { id })).toEqual({ success: true });
    await nothingLeft();
    expect((await historyOf(id)).map(({ type, data }) => [type, data.values])).toEqual([
      ['RowCreated', null],
      ['RowUpdated', null],
      ['RowDeleted', undefined],
      ['RowErased', undefined],
    ]);
    const kept = join(folders.make(), 'backup');
    expect((await cli(on(), 'backup', kept)).code).toBe(0);
    const exported = join(folders.make(), 'log.ndjson');
    expect((await cli(on(), 'log:export', exported)).code).toBe(0);
    for (const folder of [app.dataDir, kept, join(exported, '..')]) expect(filesWith(folder)).toEqual([]);
    app = await mortal.restarted(app);
    const rebuilt = await cli(on(), 'projections:verify');
    expect(rebuilt.out.filter((line) => !line.includes(': equal at'))).toEqual([]);
    expect((await does('listRows')).rows.map((row: { id: string }) => row.id)).toEqual([stays]);
  }, 120_000);

  it('are not in stored answers for repeated calls, which get none of an erased row', async () => {
    const { id: kept } = await does('createRow', { values: { key: 'kept' } });
    const calls: readonly (readonly [string, object])[] = [
      ['createRow', { values: full(1) }],
      ['createRows', { rows: [full(2), full(3)] }],
      ['updateRow', { id: kept, values: { title: secret } }],
      ['updateRows', { rows: [{ id: kept, values: { facts: [secret] } }] }],
      ['upsertRow', { match: { key: `${secret}-key-4` }, values: full(4) }],
    ];
    const asked = ([operation, body]: readonly [string, object]) =>
      app.call(`bases/${operation}`, { tableId, ...body }, undefined, { 'idempotency-key': operation });
    const answers = [];
    for (const one of calls) answers.push((await asked(one)).body);
    expect(answers[0]).toMatchObject(full(1));
    expect(answers[1].rows).toMatchObject([full(2), full(3)]);
    expect(answers[3].rows).toMatchObject([{ id: kept, key: 'kept', title: secret, facts: [secret] }]);
    for (const [at, one] of calls.entries()) expect((await asked(one)).body).toEqual(answers[at]);
    expect(await entriesHolding(app, secret)).toEqual([]);
    const ids = answers.flatMap(({ id, rows = [{ id }] }) => rows.map((row: { id: string }) => row.id));
    for (const id of new Set(ids)) await does('eraseRow', { id });
    const again = [];
    for (const one of calls) again.push((await asked(one)).body);
    expect(again.flatMap(({ rows, ...row }) => rows ?? [row])).toMatchObject(
      ids.map((id) => ({ id, title: null, key: null, facts: null })),
    );
    expect((await does('listRows')).rows).toEqual([]);
    await nothingLeft();
  }, 60_000);

  it('are erased for a row that was deleted before, also repeatedly; not for an unknown row', async () => {
    const { id } = await does('createRow', { values: full() });
    await written();
    await does('deleteRow', { id });
    expect(await keyOf(id)).toBe(32);
    await does('eraseRow', { id });
    expect(await does('eraseRow', { id })).toEqual({ success: true });
    expect(await keyOf(id)).toBe(0);
    const never = await app.call('bases/eraseRow', { tableId, id: 'row_never' });
    expect([never.status, never.body.code]).toEqual([404, 'row-not-found']);
    await nothingLeft();
  }, 60_000);

  it('are still destroyed by the next process if one dies after the erasure', async () => {
    const { id } = await does('createRow', { values: full() });
    await written();
    fate.death = { at: 'seal', when: 'before', beginning: 'personal/' };
    expect((await app.call('bases/eraseRow', { tableId, id })).status).toBe(503);
    app = await mortal.restarted(app);
    await keysGone([id]);
    await nothingLeft();
  }, 60_000);

  it('are nowhere after its erasure either if a rebuild was interrupted before', async () => {
    const { id } = await does('createRow', { values: full() });
    await written();
    const { app: service } = app;
    const store = service.get(ReadStore, { strict: false });
    const killed = jest.spyOn(store, 'activate').mockRejectedValue(new Error('The process was killed.'));
    const rebuilding = service.get(ProjectionMaintenance).rebuild(projections.filter(({ name }) => name === 'rows'));
    await expect(rebuilding).rejects.toThrow('killed');
    killed.mockRestore();
    app = await mortal.restarted(app);
    await does('eraseRow', { id });
    await nothingLeft();
  }, 60_000);

  it('of all rows are rebuilt with the read model', async () => {
    const { rows } = await does('createRows', { rows: Array.from({ length: 60 }, (_, n) => full(n)) });
    await does('eraseRow', { id: rows[7].id });
    await does('deleteRow', { id: rows[8].id });
    const before = await does('listRows', { limit: 1_000 });
    expect(before.total).toBe(58);
    await app.app.close();
    expect(await cli(on(), 'projections:rebuild', 'rows')).toMatchObject({ code: 0 });
    app = await mortal.begin(app.dataDir, app.ownerKey);
    expect(await does('listRows', { limit: 1_000 })).toEqual(before);
    const verified = await cli(on(), 'projections:verify');
    expect(verified.out.filter((line) => !line.includes(': equal at'))).toEqual([]);
  }, 120_000);
});

describe('the rows of a deleted table', () => {
  /** More than are looked at together. */
  const many = 250;
  const filled = async () => {
    const { rows } = await does('createRows', { rows: Array.from({ length: many }, (_, n) => full(n)) });
    const ids = (rows as readonly { readonly id: string }[]).map(({ id }) => id);
    const longer = ids.slice(0, 60).map((id, n) => ({ id, values: { title: `${secret} ${'x'.repeat(7 * n)}` } }));
    await does('updateRows', { rows: longer });
    await does('deleteRows', { ids: ids.slice(180, 220) });
    await written();
    return ids;
  };

  it("are erased, including those deleted before, and no other table's", async () => {
    const ids = await filled();
    const other = await table('Kept');
    const { id: stays } = await done(app, 'bases/createRow', { tableId: other, values: { title: 'plain' } });
    await done(app, 'bases/deleteTable', { id: tableId });
    expect((await app.call('bases/listRows', { tableId })).body.code).toBe('table-not-found');
    await keysGone(ids);
    await nothingLeft();
    expect(await keyOf(stays)).toBe(32);
    expect((await done(app, 'bases/getRow', { tableId: other, id: stays })).title).toBe('plain');
  }, 120_000);

  it('are erased by the next process if one dies midway', async () => {
    const ids = await filled();
    fate.death = { at: 'seal', when: 'after', beginning: 'personal/' };
    await done(app, 'bases/deleteTable', { id: tableId });
    await eventually(
      async () => fate.died,
      (died) => died,
    );
    app = await mortal.restarted(app);
    await keysGone(ids);
    await nothingLeft();
  }, 120_000);
});

it('created during the deletion are erased as well', async () => {
  const creating = Array.from({ length: 40 }, async (_, n) => {
    if (n % 8 === 0) await takes(n / 4);
    return app.call('bases/createRow', { tableId, values: full(n) });
  });
  await Promise.all([...creating.slice(0, 10), done(app, 'bases/deleteTable', { id: tableId })]);
  const answers = await Promise.all(creating);
  for (const { status } of answers) expect([200, 404]).toContain(status);
  const { events } = await done(app, 'audit/listEvents', { types: ['RowCreated'], limit: 200 });
  const made = events
    .filter(({ data }: { data: { tableId: string } }) => data.tableId === tableId)
    .map(({ resource }: { resource: { id: string } }) => resource.id);
  await keysGone(made);
  await nothingLeft();
}, 60_000);

it('recorded after the deletion are erased, even if their process died before it checked again', async () => {
  const { id: earlier } = await does('createRow', { values: full() });
  await written();
  const log = app.app.get(EventStore, { strict: false });
  const append = log.append.bind(log);
  let late = '';
  const held = jest.spyOn(log, 'append').mockImplementation(async (requests, options) => {
    const row = requests.find(({ events }) => events.some(({ type }) => type === 'RowCreated'));
    if (row === undefined) return append(requests, options);
    held.mockRestore();
    late = parseStream(row.stream).id;
    await done(app, 'bases/deleteTable', { id: tableId });
    await keysGone([earlier]);
    await append(requests, options);
    throw new Error('killed');
  });
  expect((await app.call('bases/createRow', { tableId, values: full(1) })).status).toBe(500);
  await keysGone([late]);
  await nothingLeft();
  expect((await historyOf(late)).map(({ type, data }) => [type, data.values])).toEqual([
    ['RowCreated', null],
    ['RowErased', undefined],
  ]);
}, 60_000);

it('are erased too if a project is deleted with its base', async () => {
  const { id: projectId, linkedBaseId } = await done(app, 'site/createProject', { name: 'Shop' });
  baseId = linkedBaseId;
  tableId = await table('Orders');
  const { id } = await does('createRow', { values: full() });
  await written();
  await done(app, 'site/deleteProject', { id: projectId });
  await keysGone([id]);
  await nothingLeft();
}, 60_000);
