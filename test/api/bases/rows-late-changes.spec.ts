import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LateTableChanges } from '../../../src/areas/bases/row/late-table-changes.js';
import { RowLookUp } from '../../../src/areas/bases/row/row-look-up.js';
import { RowQuota } from '../../../src/areas/bases/row/row-quota.js';
import { UniqueValues } from '../../../src/areas/bases/row/unique-values.api.js';
import { CommandRunner } from '../../../src/engine/commands/command-runner.js';
import { IdempotencyStore } from '../../../src/engine/pipeline/idempotency-store.js';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let tableId: string;
let idempotencyKey: string;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  const { id: baseId } = await done(app, 'bases/createBase', { name: 'Late' });
  const fields = [
    { name: 'integer', type: 'integer' },
    { name: 'number', type: 'number' },
    { name: 'text', type: 'text' },
  ];
  tableId = (await done(app, 'bases/createTable', { baseId, name: 'Late', fields })).id;
  idempotencyKey = `of ${tableId}`;
});

const call = (operation: string, body: object) => app.call(`bases/${operation}`, { tableId, ...body });
const repeatable = (operation: string, body: object) =>
  app.call(`bases/${operation}`, { tableId, ...body }, undefined, { 'idempotency-key': idempotencyKey });
const does = (operation: string, body: object) => done(app, `bases/${operation}`, { tableId, ...body });
const create = (values: object) => does('createRow', { values });
const code = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.code];
};
const taken = [409, 'row-value-taken'];
const integers = async () => (await does('listRows', {})).rows.map((row: { integer?: number }) => row.integer ?? null);
async function integerField() {
  const { fields } = await done(app, 'bases/getTable', { id: tableId });
  return fields.find(({ name }: { name: string }) => name === 'integer');
}
const becomesUnique = async () => does('updateField', { fieldId: (await integerField()).id, unique: true });
const part = <Part extends object>(type: abstract new (...args: never[]) => Part): Part =>
  app.app.get<Part>(type as never, { strict: false });

/** Holds the next call of a member, before or after its work, until `release` is called. */
function holding<Holder extends object>(holder: Holder, member: keyof Holder, when: 'before' | 'after' = 'before') {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const original = holder[member] as (...sent: readonly unknown[]) => unknown;
  const replaced = async (...sent: readonly unknown[]) => {
    Object.assign(holder, { [member]: original });
    if (when === 'after') await original.apply(holder, [...sent]);
    held.resolve();
    await released.promise;
    if (when === 'before') await original.apply(holder, [...sent]);
  };
  Object.assign(holder, { [member]: replaced });
  return { held: held.promise, release: released.resolve };
}
/** The next call of a member fails as if the process were killed, before or after its work. */
function killed<Holder extends object>(holder: Holder, member: keyof Holder, when: 'before' | 'after') {
  const original = holder[member] as (...sent: readonly unknown[]) => Promise<unknown>;
  const replaced = async (...sent: readonly unknown[]) => {
    Object.assign(holder, { [member]: original });
    if (when === 'after') await original.apply(holder, [...sent]).catch(() => undefined);
    throw new Error('The process was killed.');
  };
  Object.assign(holder, { [member]: replaced });
}

describe('a field that becomes unique', () => {
  it('refuses a row that was being created meanwhile with a value that another row has', async () => {
    await create({ integer: 1 });
    const { held, release } = holding(part(RowQuota), 'mustHaveRoom');
    const late = call('createRow', { values: { integer: 1 } });
    await held;
    await becomesUnique();
    release();
    expect(await code(late)).toEqual(taken);
    expect(await integers()).toEqual([1]);
    await create({ integer: 2 });
  });

  it('refuses the later of two new rows, of which one was begun before the field was unique', async () => {
    const early = holding(part(RowQuota), 'mustHaveRoom');
    const first = call('createRow', { values: { integer: 1 } });
    await early.held;
    await becomesUnique();
    const searched = holding(part(RowLookUp), 'mustBeFree', 'after');
    const second = call('createRow', { values: { integer: 1 } });
    await searched.held;
    early.release();
    expect((await first).status).toBe(200);
    searched.release();
    expect(await code(second)).toEqual(taken);
    expect(await integers()).toEqual([1]);
  });

  it('refuses a change of a row that was being made meanwhile, and the row has its former values', async () => {
    await create({ integer: 1 });
    const { id } = await create({ integer: 2, text: 'former' });
    const { held, release } = holding(part(RowLookUp), 'mustBeFree');
    const late = call('updateRow', { id, values: { integer: 1, text: 'new', number: 7 } });
    await held;
    await becomesUnique();
    release();
    expect(await code(late)).toEqual(taken);
    expect(await does('getRow', { id })).toMatchObject({ integer: 2, text: 'former' });
    expect(await does('getRow', { id })).not.toHaveProperty('number', 7);
  });
});

it('an upsert of a row with a value that another row has is refused and changes nothing', async () => {
  await create({ integer: 1 });
  const { id, updatedAt } = await create({ integer: 2, text: 'b' });
  await becomesUnique();
  expect(await code(call('upsertRow', { match: { text: 'b' }, values: { integer: 1 } }))).toEqual(taken);
  expect(await does('getRow', { id })).toMatchObject({ integer: 2, updatedAt });
  expect((await done(app, 'audit/getHistory', { kind: 'row', id })).events).toHaveLength(1);
});

describe('an undo of the last change', () => {
  it('does not overwrite a change that was made meanwhile', async () => {
    const { id } = await create({ integer: 1, text: 'former' });
    await does('updateRow', { id, values: { text: 'new' } });
    const { held, release } = holding(part(RowQuota), 'mustHaveRoom');
    const late = call('undoRow', { id });
    await held;
    await does('updateRow', { id, values: { integer: 2 } });
    release();
    expect(await code(late)).toEqual([409, 'row-changed-since']);
    expect(await does('getRow', { id })).toMatchObject({ integer: 2, text: 'new' });
    expect(await does('undoRow', { id })).toMatchObject({ integer: 1, text: 'new' });
  });

  it('does not restore a row that was deleted meanwhile', async () => {
    const { id } = await create({ text: 'former' });
    await does('updateRow', { id, values: { text: 'new' } });
    const { held, release } = holding(part(RowQuota), 'mustHaveRoom');
    const late = call('undoRow', { id });
    await held;
    await does('deleteRow', { id });
    release();
    expect(await code(late)).toEqual([409, 'row-changed-since']);
    expect(await code(call('getRow', { id }))).toEqual([404, 'row-not-found']);
    expect(await does('undoRow', { id })).toMatchObject({ text: 'new' });
  });
});

describe('the repetition of a call', () => {
  const calls = {
    createRow: (integer: number) => repeatable('createRow', { values: { integer, text: 'new' } }),
    createRows: (integer: number) => repeatable('createRows', { rows: [{ integer: 8 }, { integer, text: 'new' }] }),
    upsertRow: (integer: number) => repeatable('upsertRow', { match: { integer }, values: { text: 'new' } }),
  };

  it.each(Object.entries(calls))('of %s is refused like the call, also if the other row is gone', async (_, send) => {
    const { id } = await create({ integer: 1 });
    const { held, release } = holding(part(RowQuota), 'mustHaveRoom');
    await does('updateRow', { id, values: { integer: 2 } });
    const late = send(1);
    await held;
    await does('updateRow', { id, values: { integer: 1 } });
    await becomesUnique();
    release();
    expect(await code(late)).toEqual(taken);
    expect(await code(send(1))).toEqual(taken);
    await does('deleteRow', { id });
    expect(await code(send(1))).toEqual(taken);
    expect(await code(send(3))).toEqual([409, 'idempotency-key-reused']);
    expect(await integers()).toEqual([]);
  });

  it.each(['before', 'after'] as const)('that was killed %s its new row was taken back is refused', async (when) => {
    const { id } = await create({ integer: 1 });
    const { held, release } = holding(part(RowQuota), 'mustHaveRoom');
    const late = calls.createRow(1);
    await held;
    await becomesUnique();
    killed(part(LateTableChanges), 'afterCreation', when);
    release();
    expect((await late).status).toBe(500);
    expect(await integers()).toEqual(when === 'before' ? [1, 1] : [1]);
    if (when === 'after') await does('deleteRow', { id });
    expect(await code(calls.createRow(1))).toEqual(taken);
    expect(await integers()).toEqual(when === 'before' ? [1] : []);
  });

  it.each(['before', 'after'] as const)('that was killed %s its change was taken back is refused', async (when) => {
    const other = await create({ integer: 1 });
    const { id } = await create({ integer: 2, text: 'former' });
    const send = () => repeatable('updateRow', { id, values: { integer: 1, text: 'new', number: 7 } });
    const { held, release } = holding(part(RowLookUp), 'mustBeFree');
    const late = send();
    await held;
    await becomesUnique();
    killed(part(LateTableChanges), 'afterUpdate', when);
    release();
    expect((await late).status).toBe(500);
    if (when === 'after') await does('deleteRow', { id: other.id });
    expect(await code(send())).toEqual(taken);
    expect(await does('getRow', { id })).toMatchObject({ integer: 2, text: 'former', number: null });
  });

  it('that was killed before its undoing was taken back is refused, and the row is as before', async () => {
    const { id } = await create({ integer: 1 });
    await does('updateRow', { id, values: { integer: 2 } });
    await create({ integer: 1 });
    const { held, release } = holding(part(RowLookUp), 'mustBeFree');
    const late = repeatable('undoRow', { id });
    await held;
    await becomesUnique();
    killed(part(LateTableChanges), 'afterUpdate', 'before');
    release();
    expect((await late).status).toBe(500);
    expect(await code(repeatable('undoRow', { id }))).toEqual(taken);
    expect(await does('getRow', { id })).toMatchObject({ integer: 2 });
  });

  it('whose answer was not stored restores a deleted row once and answers with the row', async () => {
    const { id } = await create({ text: 'former' });
    await does('updateRow', { id, values: { text: 'new' } });
    await does('deleteRow', { id });
    killed(part(IdempotencyStore), 'settle', 'before');
    expect((await repeatable('undoRow', { id })).status).toBe(500);
    const row = await does('getRow', { id });
    expect((await repeatable('undoRow', { id })).body).toEqual(row);
    expect(row).toMatchObject({ text: 'new' });
    expect(await does('getRow', { id })).toEqual(row);
  });

  it.each([
    ['is refused', { text: 'newer' }, taken],
    ['is answered with the row', { integer: 5 }, [200, undefined]],
  ])('%s and takes nothing back if the row has meanwhile got %j', async (_, values, answer) => {
    await create({ integer: 1 });
    const { id } = await create({ integer: 2 });
    const send = () => repeatable('updateRow', { id, values: { integer: 1 } });
    const { held, release } = holding(part(RowLookUp), 'mustBeFree');
    const late = send();
    await held;
    await becomesUnique();
    killed(part(LateTableChanges), 'afterUpdate', 'before');
    release();
    await late;
    await does('updateRow', { id, values });
    expect(await code(send())).toEqual(answer);
    expect(await does('getRow', { id })).toMatchObject({ integer: 1, ...values });
  });

  it.each([
    ['no longer matches', {}],
    ['was changed since', { integer: 3, text: 'newer' }],
  ])('of an upsert whose row %s answers with that row and changes no other', async (_, change) => {
    const { id } = await create({ integer: 1 });
    const send = () => repeatable('upsertRow', { match: { integer: 1 }, values: { integer: 2 } });
    killed(part(LateTableChanges), 'afterUpdate', 'before');
    expect((await send()).status).toBe(500);
    await does('updateRow', { id, values: change });
    await create({ integer: 1 });
    expect((await send()).body).toMatchObject({ id, integer: 2, ...change });
    expect(await integers()).toEqual([{ integer: 2, ...change }.integer, 1]);
  });

  it('of an upsert that created a row answers with that row, also if another one matches now', async () => {
    const send = () => repeatable('upsertRow', { match: { integer: 1 }, values: { text: 'new' } });
    killed(part(LateTableChanges), 'afterCreation', 'before');
    expect((await send()).status).toBe(500);
    const { rows } = await does('listRows', {});
    await does('updateRow', { id: rows[0].id, values: { integer: 2 } });
    await create({ integer: 1, text: 'other' });
    expect((await send()).body).toMatchObject({ id: rows[0].id, integer: 2, text: 'new' });
    expect((await does('listRows', {})).rows).toMatchObject([{ text: 'new' }, { text: 'other' }]);
  });

  it('that was killed after its field became unique searches the rows, and the field is not unique', async () => {
    await create({ integer: 1 });
    const { id: fieldId } = await integerField();
    const send = () => repeatable('updateField', { fieldId, unique: true });
    const { held, release } = holding(part(UniqueValues), 'mustBeNone', 'after');
    const late = send();
    await held;
    await create({ integer: 1 });
    killed(part(CommandRunner), 'change', 'after');
    release();
    expect((await late).status).toBe(500);
    expect(await integerField()).toMatchObject({ unique: true });
    expect(await code(send())).toEqual([409, 'values-not-unique']);
    expect(await integerField()).toMatchObject({ unique: false });
  });

  it('answers with its row, which it does not find as a duplicate', async () => {
    await becomesUnique();
    killed(part(LateTableChanges), 'afterCreation', 'after');
    expect((await calls.createRow(1)).status).toBe(500);
    expect((await calls.createRow(1)).body).toMatchObject({ integer: 1, text: 'new' });
    expect(await integers()).toEqual([1]);
  });
});
