import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { agentWith } from '../../support/automations/agents.js';
import { done, keyOf } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';

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
const activate = (id: string, active: boolean) => done(app, 'site/setPageActive', { projectId, pageId: id, active });
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
const revert = (snapshotId: string) => done(app, 'site/revertSnapshotChange', { projectId, snapshotId });
const pages = async (): Promise<readonly Row[]> => {
  const rows: readonly Row[] = await done(app, 'site/listPages', { projectId });
  const whole: Row[] = [];
  for (const { id } of rows) whole.push(await done(app, 'site/getPage', { id }));
  return whole
    .map(({ createdAt, updatedAt, contentHash, ...facts }) => facts as Row)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
};
const page = async (id: string) => (await pages()).find((one) => one.id === id);

describe('revertSnapshotChange', () => {
  it('undoes that change and keeps later ones', async () => {
    const made = await create({ content: 'one', title: 'T' });
    await update(made.id, { content: 'two' });
    const { id, number } = await newest();
    await update(made.id, { title: 'Later' });
    expect(await revert(id)).toEqual({
      success: true,
      reverted: [{ kind: 'page', id: made.id, name: 'Page', path: '/page' }],
      skipped: [],
    });
    expect(await page(made.id)).toMatchObject({ content: 'one', title: 'Later' });
    expect(await newest()).toMatchObject({ kind: 'revert', label: `Reverted snapshot ${number}` });
  });

  it('skips and names what was edited later, and then records nothing', async () => {
    const made = await create({ content: 'one' });
    await update(made.id, { content: 'two', title: 'T' });
    const { id } = await newest();
    await update(made.id, { content: 'three' });
    const count = (await list()).length;
    expect(await revert(id)).toMatchObject({ reverted: [], skipped: [{ id: made.id, reason: 'edited-later' }] });
    expect(await page(made.id)).toMatchObject({ content: 'three', title: 'T' });
    expect(await list()).toHaveLength(count);
  });

  it('for a new page deletes it, and returns its path', async () => {
    const old = await create();
    const made = await create();
    const { id } = await newest();
    await revert(id);
    expect(await page(made.id)).toBeUndefined();
    expect(await page(old.id)).toMatchObject({ active: true });
    expect(await revert(id)).toMatchObject({ reverted: [], skipped: [{}, {}] });
  });

  it('for a deletion restores the page with its id', async () => {
    const made = await create({ content: 'x'.repeat(3_000) });
    const before = await page(made.id);
    await drop(made.id);
    await revert((await newest()).id);
    expect(await page(made.id)).toEqual(before);
  });

  it('leaves a path to the page that has it now', async () => {
    const made = await create();
    await drop(made.id);
    const { id } = await newest();
    const heir = await create();
    expect(await revert(id)).toMatchObject({ reverted: [], skipped: [{ id: made.id, reason: 'place-taken' }] });
    expect([await page(made.id), await page(heir.id)]).toEqual([undefined, expect.objectContaining({ active: true })]);
  });

  it('leaves a path or name to another file of the same change that has it now', async () => {
    const component = (name: string) => done(app, 'site/createComponent', { projectId, name, content: 'one' });
    const [moved, other] = [
      await create({ path: '/old', content: 'one' }),
      await create({ path: '/b', content: 'one' }),
    ];
    const [renamed, second] = [await component('Old'), await component('Second')];
    const { id: before } = await newest();
    await update(moved.id, { path: '/new' });
    await update(other.id, { content: 'two' });
    await done(app, 'site/updateComponent', { id: renamed.id, name: 'New' });
    await done(app, 'site/updateComponent', { id: second.id, content: 'two' });
    await restore(before);
    const { id } = await newest();
    await update(other.id, { path: '/new' });
    await done(app, 'site/updateComponent', { id: second.id, name: 'New' });
    const { reverted, skipped } = await revert(id);
    expect(skipped).toEqual([
      expect.objectContaining({ id: moved.id, reason: 'place-taken' }),
      expect.objectContaining({ id: renamed.id, reason: 'place-taken' }),
    ]);
    expect(reverted.map((file: Row) => file.id)).toEqual([other.id, second.id]);
    expect([await page(moved.id), await page(other.id)]).toEqual([
      expect.objectContaining({ path: '/old', active: true }),
      expect.objectContaining({ path: '/new', active: true, content: 'two' }),
    ]);
    expect((await done(app, 'site/getComponent', { id: renamed.id })).name).toBe('Old');
  });

  it('gives a path to only one of two files of the same change that would both have it', async () => {
    const one = await create({ path: '/c' });
    const other = await create({ path: '/b' });
    await activate(other.id, false);
    const { id: before } = await newest();
    await update(one.id, { path: '/x' });
    await activate(other.id, true);
    await restore(before);
    const { id } = await newest();
    await update(other.id, { path: '/x' });
    expect((await revert(id)).skipped).toMatchObject([{ reason: 'place-taken' }]);
    expect((await pages()).filter(({ path, active }) => path === '/x' && active)).toHaveLength(1);
  });

  it('does not make a page the home page again that has since moved away from /', async () => {
    const [home] = await pages();
    const heir = await create({ isHomePage: true });
    const { id } = await newest();
    await update(home?.id ?? '', { path: '/old' });
    expect(await revert(id)).toMatchObject({
      reverted: [{ id: heir.id }],
      skipped: [{ id: home?.id, reason: 'edited-later' }],
    });
    expect(await pages()).toEqual([expect.objectContaining({ path: '/old', isHomePage: false })]);
  });

  it('for a move of the home page makes it the home page again', async () => {
    const [home] = await pages();
    await update(home?.id ?? '', { path: '/old' });
    const { id } = await newest();
    await revert(id);
    expect(await pages()).toEqual([home]);
    // It is the home page again, so a new home page replaces it.
    await create({ isHomePage: true });
    expect((await pages()).filter((one) => one['isHomePage'])).toHaveLength(1);
  });

  it('can be reverted, and reports a second time that there is nothing to undo', async () => {
    const made = await create({ content: 'one' });
    await update(made.id, { content: 'two' });
    const { id } = await newest();
    await revert(id);
    const { id: reverting } = await newest();
    expect(await revert(id)).toMatchObject({ reverted: [], skipped: [{ reason: 'already-reverted' }] });
    await revert(reverting);
    expect((await page(made.id))?.['content']).toBe('two');
  });

  it('repeated with its key answers the same and changes nothing more', async () => {
    const made = await create({ content: 'one' });
    await update(made.id, { content: 'two' });
    const { id: snapshotId } = await newest();
    const headers = { 'Idempotency-Key': `revert-${snapshotId}` };
    const first = await call('revertSnapshotChange', { snapshotId }, undefined, headers);
    await update(made.id, { content: 'two' });
    const again = await call('revertSnapshotChange', { snapshotId }, undefined, headers);
    expect(again.body).toEqual(first.body);
    expect((await page(made.id))?.['content']).toBe('two');
  });
});

describe('agents', () => {
  let site: OutsideApp;
  beforeAll(async () => {
    site = await sharedOutside();
  });

  it('whose project does not permit them snapshots are refused every operation, and nothing is changed', async () => {
    const key = await keyOf(site, { kind: 'agent', agentId: (await agentWith(site)).id });
    const { id } = await done(site, 'site/createProject', { name: 'Narrowed' });
    const [{ id: pageId }] = await done(site, 'site/listPages', { projectId: id });
    const seen = () => done(site, 'site/listSnapshots', { projectId: id });
    const [{ id: first }] = (await seen()).snapshots;
    await done(site, 'site/updatePage', { id: pageId, title: 'Later' });
    const ask = (operation: string) => site.call(`site/${operation}`, { projectId: id, snapshotId: first }, key);
    const narrow = (aiPermissions: object) => done(site, 'site/updateAiPermissions', { projectId: id, aiPermissions });
    const before = await seen();

    await narrow({ 'pages:*': true, 'snapshots:getSnapshotContent': true });
    expect((await ask('getSnapshotContent')).status).toBe(200);
    expect((await ask('restoreSnapshot')).status).toBe(403);

    await narrow({ 'pages:*': true });
    for (const operation of ['getSnapshotContent', 'restoreSnapshot', 'revertSnapshotChange']) {
      const { status, body } = await ask(operation);
      expect([operation, status, body.code]).toEqual([operation, 403, 'ai-permission-missing']);
    }
    const { status, body } = await site.call('site/listSnapshots', { projectId: id }, key);
    expect([status, body.code]).toEqual([403, 'ai-permission-missing']);
    expect(await seen()).toEqual(before);
  });
});

describe('components and email templates', () => {
  it('are content like pages: shown as they were, restored with their ids and names, and reverted', async () => {
    const large = '<p>{{name}}</p>'.repeat(1_000);
    const component = await done(app, 'site/createComponent', { projectId, name: 'Hero', content: 'one' });
    const template = await done(app, 'site/createEmailTemplate', {
      projectId,
      name: 'Welcome',
      slug: 'welcome',
      content: large,
      variables: [{ name: 'name', default: 'you' }],
    });
    const { id: then, changedFiles } = await newest();
    expect(changedFiles).toEqual([
      { kind: 'emailTemplate', id: template.id, name: 'Welcome', path: null, change: 'created' },
    ]);
    const before = await content(then);
    expect(before.components).toEqual([expect.objectContaining({ id: component.id, name: 'Hero', content: 'one' })]);
    expect(before.emailTemplates).toEqual([
      {
        id: template.id,
        name: 'Welcome',
        slug: 'welcome',
        subject: null,
        description: null,
        content: large,
        variables: [{ name: 'name', default: 'you' }],
      },
    ]);

    const edit = { id: template.id, oldString: large, newString: 'short', commitMessage: 'Shortened' };
    await done(app, 'site/editEmailTemplate', edit);
    expect(await newest()).toMatchObject({
      label: 'Shortened',
      changedFiles: [{ id: template.id, change: 'updated' }],
    });
    await revert((await newest()).id);
    expect((await done(app, 'site/getEmailTemplate', { id: template.id })).content).toBe(large);

    await done(app, 'site/editComponent', { id: component.id, oldString: 'one', newString: 'two' });
    await done(app, 'site/deleteEmailTemplate', { id: template.id });
    await done(app, 'site/updateComponent', { id: component.id, name: 'Banner' });
    // New files take the old names. The restore deletes them, because they are newer than the snapshot.
    await done(app, 'site/createComponent', { projectId, name: 'Hero' });
    await done(app, 'site/createEmailTemplate', { projectId, name: 'Other', slug: 'welcome' });
    await restore(then);
    expect(await content((await newest()).id)).toEqual(before);
    const { status, body } = await call('createEmailTemplate', { name: 'Third', slug: 'welcome' });
    expect([status, body.code]).toEqual([409, 'template-slug-taken']);
  });

  it('are not restored if another has the name or slug', async () => {
    const template = await done(app, 'site/createEmailTemplate', { projectId, name: 'Old', slug: 'welcome' });
    await done(app, 'site/deleteEmailTemplate', { id: template.id });
    const { id } = await newest();
    await done(app, 'site/createEmailTemplate', { projectId, name: 'Heir', slug: 'welcome' });
    expect(await revert(id)).toMatchObject({ reverted: [], skipped: [{ id: template.id, reason: 'place-taken' }] });
  });
});
