import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { IdempotencyStore } from '../../../src/engine/pipeline/idempotency-store.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { agentWith } from '../../support/automations/agents.js';
import { done, eventsOf, keyOf, type Person, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { sagasAreDone } from '../../support/stores/sagas-are-done.js';

let app: TestApp;
let ben: Person;
let tableId: string;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  ben = await person(app, 'editor');
  const { linkedBaseId: baseId } = await done(app, 'site/createProject', { name: 'Shop' });
  tableId = (await done(app, 'bases/createTable', { baseId, name: 'posts' })).id;
  await done(app, 'bases/addField', { tableId, field: { name: 'title', type: 'text' } });
});

interface Shown {
  readonly id: string;
  readonly summary: string;
  readonly target: { readonly kind: string; readonly id: string };
  readonly undo: { readonly available: boolean; readonly why?: string };
}

/** Notices about removals by the member `who`, as the caller with this key sees them. */
const noticesBy = async (who: string, key?: string): Promise<readonly Shown[]> =>
  (await done(app, 'approvals/listNotices', { limit: 200 }, key)).notices.filter(
    ({ by }: { readonly by?: { readonly id: string } }) => by?.id === who,
  );
const newRow = async () => (await done(app, 'bases/createRow', { tableId, values: { title: 'One' } })).id;

const titles = async () =>
  (await done(app, 'bases/listRows', { tableId })).rows.map(({ title }: { readonly title: string }) => title).sort();
const viewerKey = async () => (await person(app, 'viewer')).key;

describe('a deletion by another person', () => {
  it('is reported to the others, but not to the deleting person', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'report', code: 'export default 1' });
    await done(app, 'automations/deleteFunction', { id }, ben.key);
    expect(await noticesBy(ben.id)).toMatchObject([
      {
        summary: 'Function deleted: "report". It destroys secrets, which an Undo cannot reverse.',
        target: { kind: 'function', id, name: 'report' },
        by: { kind: 'person', id: ben.id },
        undo: { available: true },
      },
    ]);
    expect(await noticesBy(ben.id, ben.key)).toEqual([]);
  });

  it('is undone once by its notice', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'report', code: 'export default 1' });
    await done(app, 'automations/deleteFunction', { id }, ben.key);
    const [notice] = await noticesBy(ben.id);
    await done(app, 'approvals/undoNotice', { id: notice?.id });
    expect((await done(app, 'automations/getFunction', { id })).name).toBe('report');
    const [after] = await noticesBy(ben.id);
    expect(after?.undo).toMatchObject({ available: false, why: expect.stringContaining('changed since') });
    const again = await app.call('approvals/undoNotice', { id: notice?.id });
    expect(again.body.code).toBe('undo-conflict');
  });

  it('is undone for a row that can be restored', async () => {
    const id = await newRow();
    await done(app, 'bases/deleteRow', { tableId, id }, ben.key);
    const [notice] = await noticesBy(ben.id);
    expect(notice).toMatchObject({ target: { kind: 'row', id }, undo: { available: true } });
    await done(app, 'approvals/undoNotice', { id: notice?.id });
    expect((await done(app, 'bases/getRow', { tableId, id })).title).toBe('One');
  });

  it('is final if nothing can restore it, and the notice states why', async () => {
    const id = await newRow();
    await done(app, 'bases/eraseRow', { tableId, id }, ben.key);
    await done(app, 'bases/deleteTable', { id: tableId }, ben.key);
    const [table, row] = await noticesBy(ben.id);
    expect(table).toMatchObject({
      summary: expect.stringMatching(/^Table deleted: "posts"\. It destroys rows for good/),
      undo: { available: false, why: expect.stringContaining('Its rows were deleted with it') },
    });
    expect(row).toMatchObject({ target: { kind: 'row', id }, undo: { available: false } });
  });

  it('makes one notice for any number of rows', async () => {
    const ids = [await newRow(), await newRow(), await newRow()];
    await done(app, 'bases/deleteRows', { tableId, ids }, ben.key);
    for (const id of [await newRow(), await newRow()]) await done(app, 'bases/deleteRow', { tableId, id }, ben.key);
    expect((await noticesBy(ben.id)).map(({ summary }) => summary)).toEqual([
      'Row deleted; 1 more.',
      'Row deleted; 2 more.',
    ]);
  });

  it('is undone for all rows together by one Undo, which keeps other changes since', async () => {
    const ids = [await newRow(), await newRow(), await newRow()];
    await done(app, 'bases/deleteRows', { tableId, ids }, ben.key);
    const [gone] = (await done(app, 'audit/getHistory', { kind: 'row', id: ids[0] })).events.slice(-1);
    await done(app, 'audit/undoChange', { position: gone.position });
    await done(app, 'bases/updateRow', { tableId, id: ids[0], values: { title: 'Since' } });
    const [notice] = await noticesBy(ben.id);
    expect(notice).toMatchObject({ summary: 'Row deleted; 2 more.', undo: { available: true } });
    expect((await app.call('approvals/undoNotice', { id: notice?.id }, await viewerKey())).status).toBe(403);
    await done(app, 'approvals/undoNotice', { id: notice?.id });
    expect(await titles()).toEqual(['One', 'One', 'Since']);
    const [after] = await noticesBy(ben.id);
    expect(after?.undo).toMatchObject({ available: false, why: expect.stringContaining('changed since') });
    expect((await app.call('approvals/undoNotice', { id: notice?.id })).body.code).toBe('undo-conflict');
    expect(await titles()).toEqual(['One', 'One', 'Since']);
  });

  it.each([
    ['three rows', 0],
    ['the last of three rows', 2],
  ])('is undone once for %s if the call is repeated after its answer was lost', async (_, undoneBefore) => {
    const ids = [await newRow(), await newRow(), await newRow()];
    await done(app, 'bases/deleteRows', { tableId, ids }, ben.key);
    for (const id of ids.slice(0, undoneBefore)) await done(app, 'bases/undoRow', { tableId, id });
    const [notice] = await noticesBy(ben.id);
    const undo = () =>
      app.call('approvals/undoNotice', { id: notice?.id }, undefined, { 'idempotency-key': `undo ${notice?.id}` });
    jest
      .spyOn(app.app.get(IdempotencyStore, { strict: false }), 'settle')
      .mockRejectedValueOnce(new Error('The process was killed.'));
    expect((await undo()).status).toBe(500);
    await done(app, 'bases/updateRow', { tableId, id: ids[2], values: { title: 'Since' } });
    expect((await undo()).body).toEqual({ success: true });
    expect(await titles()).toEqual(['One', 'One', 'Since']);
    const restored = (await eventsOf(app, { types: ['RowRestored'] })).map(({ stream }) => stream.split('.').at(-1));
    expect(restored.filter((id) => ids.includes(id)).sort()).toEqual(ids.toSorted());
  });

  it('must be undone row by row in the audit for more than 200 rows', async () => {
    const rows = Array.from({ length: 201 }, () => ({ title: 'Many' }));
    const { rows: made } = await done(app, 'bases/createRows', { tableId, rows });
    const ids = made.map(({ id }: { readonly id: string }) => id);
    await done(app, 'bases/deleteRows', { tableId, ids }, ben.key);
    const [notice] = await noticesBy(ben.id);
    expect(notice?.undo).toMatchObject({
      available: false,
      why: 'It cannot be undone here: too many records were affected together; undo them one by one in the audit.',
    });
    const { status, body } = await app.call('approvals/undoNotice', { id: notice?.id });
    expect([status, body.code]).toEqual([409, 'undo-unavailable']);
    expect(body.detail).toContain('one by one in the audit');
  });

  it('is not undone at all if one of several cannot be restored', async () => {
    await done(app, 'bases/addField', { tableId, field: { name: 'code', type: 'text', unique: true } });
    const coded = async (code: string) => (await done(app, 'bases/createRow', { tableId, values: { code } })).id;
    const ids = [await coded('a'), await coded('b')];
    await done(app, 'bases/deleteRows', { tableId, ids }, ben.key);
    await coded('a');
    const [notice] = await noticesBy(ben.id);
    const { status } = await app.call('approvals/undoNotice', { id: notice?.id });
    expect([status, await titles()]).toEqual([409, [null]]);
  });

  it('is listed by the last event of each record, however long its history is', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'long', code: 'export default 1' });
    for (let at = 0; at < 30; at += 1) await done(app, 'automations/updateFunction', { id, description: `${at}` });
    await done(app, 'automations/deleteFunction', { id }, ben.key);
    const store = app.app.get(EventStore, { strict: false });
    const read: number[] = [];
    const original = store.readStream.bind(store);
    const spy = jest.spyOn(store, 'readStream').mockImplementation(async (stream, options) => {
      const events = await original(stream, options);
      if (stream.endsWith(id)) read.push(events.length);
      return events;
    });
    const [notice] = await noticesBy(ben.id);
    spy.mockRestore();
    expect(notice?.undo.available).toBe(true);
    expect(read.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(3);
  });

  it('that turns out to be final at the Undo gets a refusal that says so', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'taken', code: 'export default 1' });
    await done(app, 'automations/deleteFunction', { id }, ben.key);
    await done(app, 'automations/createFunction', { name: 'taken', code: 'export default 2' });
    const [notice] = await noticesBy(ben.id);
    expect(notice?.undo.available).toBe(true);
    const { status, body } = await app.call('approvals/undoNotice', { id: notice?.id });
    expect([status, body.code, body.detail]).toEqual([409, 'function-name-taken', expect.stringContaining("'taken'")]);
  });

  it("by an agent with a person's approval is reported to third persons", async () => {
    const agentId = (await agentWith(app)).id;
    const key = await keyOf(app, { kind: 'agent', agentId });
    await approved(app, await app.call('bases/deleteTable', { id: tableId }, key));
    expect(await noticesBy(agentId)).toEqual([]);
    expect(await noticesBy(agentId, ben.key)).toMatchObject([
      { target: { kind: 'table', id: tableId }, by: { kind: 'agent' }, approvedBy: { name: 'Owner' } },
    ]);
  });

  it('is not reported for records deleted by the service with it, nor for mere changes', async () => {
    const rowId = await newRow();
    await done(app, 'bases/updateTable', { id: tableId, name: 'all' }, ben.key);
    await done(app, 'bases/deleteTable', { id: tableId }, ben.key);
    await sagasAreDone(app);
    const { notices } = await done(app, 'approvals/listNotices', { limit: 200 });
    const [newest, older] = notices.map(({ target }: Shown) => target.id);
    expect(newest).toBe(tableId);
    expect(await noticesBy(ben.id)).toHaveLength(1);
    expect(older).not.toBe(rowId);
  });

  it('is reported only to those who may see such records, and undone by nobody else', async () => {
    await done(app, 'workspace/revokeApiKey', { id: ben.keyId });
    const { members } = await done(app, 'workspace/listMembers');
    const owner = members.find(({ role }: { readonly role: string }) => role === 'owner').id;
    const [viewer, admin] = [await person(app, 'viewer'), await person(app, 'admin')];
    const ofKey = ({ target }: Shown) => target.id === ben.keyId;
    expect((await noticesBy(owner, viewer.key)).filter(ofKey)).toEqual([]);
    const [told] = (await noticesBy(owner, admin.key)).filter(ofKey);
    expect(told?.undo).toMatchObject({ available: false, why: expect.stringContaining('never works again') });
    expect((await app.call('approvals/undoNotice', { id: told?.id }, viewer.key)).status).toBe(403);
    expect((await app.call('approvals/undoNotice', { id: told?.id }, admin.key)).body.code).toBe('undo-impossible');
  });
});
