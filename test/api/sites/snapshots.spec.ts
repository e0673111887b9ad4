import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Reads } from '../../../src/engine/scopes/reads.js';
import { EventStore, EventStoreUnavailable } from '../../../src/ports/event-store.port.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let projectId: string;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Snapshots' })).id;
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every form.
type Row = Record<string, any> & { readonly id: string };
const call = (operation: string, body: object = {}, key?: string, headers = {}) =>
  app.call(`site/${operation}`, { projectId, ...body }, key, headers);
const create = (body: object = {}): Promise<Row> =>
  done(app, 'site/createPage', { projectId, name: 'Page', path: '/page', ...body });
const update = (id: string, body: object): Promise<Row> => done(app, 'site/updatePage', { id, ...body });
const drop = (id: string) => done(app, 'site/deletePage', { id });
const list = async (body: object = {}): Promise<readonly Row[]> =>
  (await done(app, 'site/listSnapshots', { projectId, ...body })).snapshots;
const newest = async (): Promise<Row> => {
  const [first] = await list({ limit: 1 });
  if (first === undefined) throw new Error('There is no snapshot.');
  return first;
};
const content = (snapshotId: string) => done(app, 'site/getSnapshotContent', { projectId, snapshotId });
const restore = (snapshotId: string) => done(app, 'site/restoreSnapshot', { projectId, snapshotId });
const pages = async (): Promise<readonly Row[]> => {
  const rows: readonly Row[] = await done(app, 'site/listPages', { projectId });
  const whole: Row[] = [];
  for (const { id } of rows) whole.push(await done(app, 'site/getPage', { id }));
  return whole
    .map(({ createdAt, updatedAt, contentHash, ...facts }) => facts as Row)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
};
const page = async (id: string) => (await pages()).find((one) => one.id === id);
const snapshotPages = async (snapshotId: string) =>
  [...(await content(snapshotId)).pages].sort((a: Row, b: Row) => (a.id < b.id ? -1 : 1));
const answer = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.code];
};

describe('listSnapshots', () => {
  it('lists one for every change of content, newest first, numbered within the project', async () => {
    const made = await create({ commitMessage: 'Began' });
    await update(made.id, { title: 'T', commitMessage: 'Named' });
    await drop(made.id);
    const [deleted, updated, created, first, ...others] = await list();
    expect(others).toEqual([]);
    const file = { kind: 'page', id: made.id, name: 'Page', path: '/page' };
    expect(created).toEqual({
      id: expect.stringMatching(/^snap_/),
      number: 2,
      label: 'Began',
      kind: 'change',
      author: { kind: 'person', id: expect.any(String), name: expect.any(String) },
      createdAt: expect.any(String),
      changedFiles: [{ ...file, change: 'created' }],
    });
    expect(updated).toMatchObject({ number: 3, label: 'Named', changedFiles: [{ ...file, change: 'updated' }] });
    expect(deleted).toMatchObject({ number: 4, label: null, changedFiles: [{ ...file, change: 'deleted' }] });
    expect(first).toMatchObject({ number: 1, changedFiles: [{ name: 'Home', path: '/', change: 'created' }] });
  });

  it('lists one for the changes of a command to several pages', async () => {
    const [first, second] = [await create(), await create()];
    expect((await newest())['changedFiles'].map(({ id, change }: Row) => [id, change]).sort()).toEqual(
      [
        [first.id, 'updated'],
        [second.id, 'created'],
      ].sort(),
    );
  });

  it('lists none for a save without a change', async () => {
    const { id } = await create({ title: 'T' });
    await update(id, { title: 'T' });
    expect(await list()).toHaveLength(2);
  });

  it('returns every snapshot once, page by page', async () => {
    const { id } = await create();
    for (let n = 0; n < 6; n += 1) await update(id, { title: `${n}` });
    const all = await list();
    const found: Row[] = [];
    for (let cursor: string | undefined; ; ) {
      const { snapshots, nextCursor } = await done(app, 'site/listSnapshots', {
        projectId,
        limit: 3,
        ...(cursor === undefined ? {} : { cursor }),
      });
      found.push(...snapshots);
      if (nextCursor === null) break;
      cursor = nextCursor;
    }
    expect(found).toEqual(all);
    expect(found.map(({ number }) => number)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it.each(['x', '', 'cA', 'p12', 7, null])('refuses the cursor %p, which no answer contained', async (cursor) => {
    const { status, body } = await call('listSnapshots', { cursor });
    expect([status, body.errors?.[0]?.path]).toEqual([400, 'cursor']);
  });

  it.each([0, 201, 1.5])('refuses the limit %p', async (limit) => {
    expect(await answer(call('listSnapshots', { limit }))).toEqual([400, 'invalid-input']);
  });

  it('in a project of another workspace is 404', async () => {
    const { ownerKey } = await otherWorkspace(app);
    expect(await answer(call('listSnapshots', {}, ownerKey))).toEqual([404, 'site-not-found']);
  });

  it('shows none of a deleted project, and retains none', async () => {
    await create();
    await done(app, 'site/deleteProject', { id: projectId });
    expect(await answer(call('listSnapshots'))).toEqual([404, 'site-not-found']);
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const reads = app.app.get(Reads, { strict: false });
    await eventually(
      () => reads.count(workspaceId, 'pages', { projectId }),
      (count) => count === 0,
    );
    expect(await reads.count(workspaceId, 'snapshots', { projectId })).toBe(0);
    expect(await reads.count(workspaceId, 'contentFiles', { projectId })).toBe(0);
  });
});

describe('getSnapshotContent', () => {
  it('answers the state after the change, including deleted pages and large texts', async () => {
    const large = 'x'.repeat(10_000);
    const made = await create({ content: large, title: 'T' });
    const then = { state: await pages(), id: (await newest()).id };
    await update(made.id, { content: 'small', path: '/moved' });
    const between = { state: await pages(), id: (await newest()).id };
    await drop(made.id);
    const end = { state: await pages(), id: (await newest()).id };
    for (const { state, id } of [then, between, end]) expect(await snapshotPages(id)).toEqual(state);
    expect((await content(then.id)).pages.find(({ id }: Row) => id === made.id).content).toBe(large);
    expect(await content(end.id)).toMatchObject({ components: [], emailTemplates: [], nextCursor: null });
  });

  it('of an unknown snapshot, or one of another project, is 404', async () => {
    const { id: snapshotId } = await newest();
    const { id: other } = await done(app, 'site/createProject', { name: 'Other' });
    for (const operation of ['getSnapshotContent', 'restoreSnapshot', 'revertSnapshotChange']) {
      for (const body of [{ snapshotId: 'snap_none' }, { snapshotId, projectId: other }]) {
        expect([operation, ...(await answer(call(operation, body)))]).toEqual([operation, 404, 'snapshot-not-found']);
      }
    }
  });
});

describe('restoreSnapshot', () => {
  it('restores deleted pages with their ids, deletes newer ones, and resets changed ones', async () => {
    const [kept, deleted] = [await create({ content: 'a'.repeat(5_000) }), await create({ path: '/gone' })];
    const before = await pages();
    const { id } = await newest();
    await update(kept.id, { content: 'b', title: 'New', path: '/elsewhere' });
    await drop(deleted.id);
    await create({ path: '/newer' });
    expect(await restore(id)).toEqual({ success: true });
    expect(await pages()).toEqual(before);
  });

  it('can be undone: the state before it is a snapshot, and the restore is one as well', async () => {
    const made = await create({ content: 'one' });
    const { id: first, number } = await newest();
    await update(made.id, { content: 'two' });
    await create({ path: '/more' });
    const [later, { id: second }] = [await pages(), await newest()];
    await restore(first);
    const restored = await newest();
    expect(restored).toMatchObject({ kind: 'restore', label: `Restored snapshot ${number}` });
    expect(restored['changedFiles']).toHaveLength(2);
    await restore(second);
    expect(await pages()).toEqual(later);
    await restore(restored.id);
    expect((await page(made.id))?.['content']).toBe('one');
  });

  it('returns paths and the home page to their former pages', async () => {
    const [home] = await pages();
    const [a, b] = [await create({ path: '/a' }), await create({ path: '/b' })];
    const before = await pages();
    const { id } = await newest();
    await update(a.id, { path: '/b' });
    await update(b.id, { isHomePage: true });
    await update(home?.id ?? '', { path: '/a' });
    await restore(id);
    expect(await pages()).toEqual(before);
    // Paths and the home page are unique again: a new page takes them from their owners.
    const c = await create({ path: '/a' });
    expect((await pages()).filter((one) => one['path'] === '/a' && one['active']).map((one) => one.id)).toEqual([c.id]);
    await update(c.id, { isHomePage: true });
    expect((await pages()).filter((one) => one['isHomePage']).map((one) => one.id)).toEqual([c.id]);
  });

  it('to the present state records nothing', async () => {
    const { id } = await newest();
    expect(await restore(id)).toEqual({ success: true });
    expect(await list()).toHaveLength(1);
  });

  it('repeated with its key restores once', async () => {
    const made = await create({ content: 'one' });
    const { id: snapshotId } = await newest();
    await update(made.id, { content: 'two' });
    const headers = { 'Idempotency-Key': `restore-${snapshotId}` };
    expect((await call('restoreSnapshot', { snapshotId }, undefined, headers)).status).toBe(200);
    await update(made.id, { content: 'three' });
    expect((await call('restoreSnapshot', { snapshotId }, undefined, headers)).status).toBe(200);
    expect((await page(made.id))?.['content']).toBe('three');
  });

  it('among 20 saves and new pages at once loses no page and leaves every path to one', async () => {
    const made = await create({ path: '/race', content: 'first' });
    const { id } = await newest();
    await update(made.id, { path: '/moved', content: 'second' });
    await Promise.all([
      restore(id),
      ...Array.from({ length: 10 }, (_, n) => update(made.id, { content: `save ${n}` })),
      ...Array.from({ length: 10 }, () => create({ path: '/race' })),
    ]);
    const active = (await pages()).filter((one) => one['active']).map((one) => one['path']);
    expect(active).toHaveLength(new Set(active).size);
    const last = await newest();
    expect(await snapshotPages(last.id)).toEqual(await pages());
  });

  it('is refused to a Viewer and to a key that never deletes, like the revert', async () => {
    const { id: snapshotId } = await newest();
    const { key } = await person(app, 'viewer');
    const careful = await keyOf(app, { kind: 'person', neverDeletes: true });
    for (const operation of ['restoreSnapshot', 'revertSnapshotChange']) {
      expect(await answer(call(operation, { snapshotId }, key))).toEqual([403, 'viewer-refused']);
      expect(await answer(call(operation, { snapshotId }, careful))).toEqual([403, 'key-never-deletes']);
    }
    expect((await call('getSnapshotContent', { snapshotId }, key)).status).toBe(200);
  });
});

describe('a restore or revert interrupted by a crash, if an append is not one transaction', () => {
  const store = () => app.app.get(EventStore, { strict: false });

  /** Makes the next append of four or more requests record only the first three. */
  function cutOff(): void {
    const log = store();
    const append = log.append.bind(log);
    const cut = jest.spyOn(log, 'append').mockImplementation(async (requests, options) => {
      if (requests.length < 4) return append(requests, options);
      cut.mockRestore();
      await append(requests.slice(0, 3), options);
      throw new EventStoreUnavailable('The connection was lost.');
    });
  }

  const edited = async () => {
    const made: Row[] = [];
    for (let n = 0; n < 5; n += 1) made.push(await create({ path: `/p${n}`, content: 'one' }));
    const [first, then] = [await newest(), await pages()];
    for (const { id } of made) await update(id, { content: 'two' });
    return { snapshotId: first.id, then };
  };

  it('is completed by the same request again', async () => {
    const { snapshotId, then } = await edited();
    const count = (await list()).length;
    const headers = { 'Idempotency-Key': `cut-${snapshotId}` };
    cutOff();
    expect((await call('restoreSnapshot', { snapshotId }, undefined, headers)).status).toBe(503);
    expect(await pages()).not.toEqual(then);
    expect((await call('restoreSnapshot', { snapshotId }, undefined, headers)).status).toBe(200);
    expect(await pages()).toEqual(then);
    expect([(await list()).length, (await newest())['kind']]).toEqual([count + 1, 'restore']);
  });

  it('is completed by a new request', async () => {
    const { snapshotId, then } = await edited();
    cutOff();
    expect((await call('restoreSnapshot', { snapshotId })).status).toBe(503);
    await restore(snapshotId);
    expect(await pages()).toEqual(then);
  });

  it('reports as reverted what it had reverted before the crash', async () => {
    const { snapshotId, then } = await edited();
    await restore(snapshotId);
    const { id: restored } = await newest();
    const headers = { 'Idempotency-Key': `cut-${restored}` };
    cutOff();
    expect((await call('revertSnapshotChange', { snapshotId: restored }, undefined, headers)).status).toBe(503);
    const { body } = await call('revertSnapshotChange', { snapshotId: restored }, undefined, headers);
    expect([body.reverted.length, body.skipped]).toEqual([5, []]);
    expect(await pages()).toEqual(then.map((one) => (one['path'].startsWith('/p') ? { ...one, content: 'two' } : one)));
  });
});
