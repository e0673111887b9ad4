import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done, type Person, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let ben: Person;
let projectId: string;
beforeAll(async () => {
  app = await sharedApp();
  ben = await person(app, 'editor');
});
afterAll(() => app.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Shop' })).id;
});

interface Made {
  readonly id: string;
}

const newPage = (more: object = {}) =>
  done(app, 'site/createPage', { projectId, name: 'Prices', path: '/prices', content: 'export default 1', ...more });
const update = (id: string, change: object) => done(app, 'site/updatePage', { id, ...change });
const pagesOf = async () => (await done(app, 'site/listPages', { projectId })) as readonly Made[];
const newest = async () => (await done(app, 'site/listSnapshots', { projectId })).snapshots[0];

/** Deletes the record as another member. Returns the notice about it. */
async function deleted(operation: string, id: string) {
  await done(app, operation, { id }, ben.key);
  const { notices } = await done(app, 'approvals/listNotices', { limit: 200 });
  const [notice] = notices.filter(({ target }: { readonly target: Made }) => target.id === id);
  expect(notice).toMatchObject({ by: { id: ben.id }, undo: { available: true } });
  return notice as Made;
}
const undo = ({ id }: Made) => app.call('approvals/undoNotice', { id });
const refusalOf = async (notice: Made) => {
  const { status, body } = await undo(notice);
  return [status, body.code, body.detail];
};

describe('a deleted page', () => {
  it('is restored by its notice as it was: rules, place, counts and snapshot', async () => {
    const { id: requiredRole } = await done(app, 'site/createProjectRole', { projectId, name: 'Members' });
    const { id } = await newPage({ title: 'What it costs', isProtected: true });
    await update(id, { requiredRole, sortOrder: 7, content: `export default () => <p>${'a'.repeat(50_000)}</p>;` });
    await done(app, 'site/setPageAccessRules', { pageId: id, accessRules: { read: { type: 'authenticated' } } });
    const before = [await done(app, 'site/getPage', { id }), await pagesOf()];
    const rules = () => done(app, 'site/getPageAccessRules', { pageId: id });
    const ruled = await rules();

    const notice = await deleted('site/deletePage', id);
    expect(await undo(notice)).toMatchObject({ status: 200 });
    expect([await done(app, 'site/getPage', { id }), await pagesOf()]).toEqual(before);
    expect(await rules()).toEqual(ruled);
    const { pageCount } = await done(app, 'site/getProject', { id: projectId });
    expect(pageCount).toBe(2);

    const snapshot = await newest();
    expect(snapshot.changedFiles).toEqual([{ kind: 'page', id, name: 'Prices', path: '/prices', change: 'created' }]);
    const { pages } = await done(app, 'site/getSnapshotContent', { projectId, snapshotId: snapshot.id });
    expect(pages.map(({ id: one }: Made) => one)).toContain(id);
    expect(await refusalOf(notice)).toEqual([409, expect.stringMatching(/^undo-/), expect.any(String)]);
  });

  it('has its path again: another that takes it makes it inactive', async () => {
    const { id } = await newPage();
    await undo(await deleted('site/deletePage', id));
    const other = await newPage();
    expect([await done(app, 'site/getPage', { id }), other]).toMatchObject([{ active: false }, { active: true }]);
  });

  it('is the home page again', async () => {
    const [home] = await pagesOf();
    await undo(await deleted('site/deletePage', home?.id ?? ''));
    expect(await pagesOf()).toMatchObject([{ id: home?.id, isHomePage: true, active: true, path: '/' }]);
    await newPage({ isHomePage: true });
    expect(await done(app, 'site/getPage', { id: home?.id })).toMatchObject({ isHomePage: false, active: false });
  });

  it('is not restored while another page has its path, which the refusal names', async () => {
    const { id } = await newPage();
    const notice = await deleted('site/deletePage', id);
    const other = await newPage();
    expect(await refusalOf(notice)).toEqual([409, 'page-path-taken', expect.stringContaining("active at '/prices'")]);
    await update(other.id, { path: '/old-prices' });
    expect(await undo(notice)).toMatchObject({ status: 200 });
    expect(await done(app, 'site/getPage', { id })).toMatchObject({ path: '/prices', active: true });
  });

  it('is not restored while another is the home page, even an inactive one', async () => {
    const [home] = await pagesOf();
    const notice = await deleted('site/deletePage', home?.id ?? '');
    const { id: other } = await newPage({ isHomePage: true });
    await done(app, 'site/setPageActive', { projectId, pageId: other, active: false });
    expect(await refusalOf(notice)).toEqual([409, 'home-page-taken', expect.stringContaining('home page of the site')]);
    await update(other, { path: '/start' });
    expect(await undo(notice)).toMatchObject({ status: 200 });
  });

  it('that was inactive is restored beside the one that has its path', async () => {
    const { id } = await newPage();
    const other = await newPage();
    expect(await undo(await deleted('site/deletePage', id))).toMatchObject({ status: 200 });
    expect([await done(app, 'site/getPage', { id }), await done(app, 'site/getPage', { id: other.id })]).toMatchObject([
      { active: false },
      { active: true },
    ]);
  });

  it('is not restored on a deleted site', async () => {
    const { id } = await newPage();
    const notice = await deleted('site/deletePage', id);
    await done(app, 'site/deleteProject', { id: projectId });
    expect(await refusalOf(notice)).toEqual([404, 'site-not-found', expect.any(String)]);
  });
});

describe.each([
  {
    one: 'component',
    make: () => done(app, 'site/createComponent', { projectId, name: 'Hero', content: 'export default 1' }),
    names: ['site/getComponent', 'site/deleteComponent', 'site/updateComponent'],
    renamed: { name: 'Banner' },
    taken: 'component-name-taken',
  },
  {
    one: 'email template',
    make: () => done(app, 'site/createEmailTemplate', { projectId, name: 'Welcome', slug: 'welcome', content: '<p>' }),
    names: ['site/getEmailTemplate', 'site/deleteEmailTemplate', 'site/updateEmailTemplate'],
    renamed: { slug: 'hello' },
    taken: 'template-slug-taken',
  },
])('a deleted $one', ({ make, names: [get = '', end = '', rename = ''], renamed, taken }) => {
  it('is restored by its notice as it was, unless its name is taken', async () => {
    const { id } = await make();
    const before = await done(app, get, { id });
    const notice = await deleted(end, id);
    const other = await make();
    expect(await refusalOf(notice)).toEqual([409, taken, expect.any(String)]);
    await done(app, rename, { id: other.id, ...renamed });
    expect(await undo(notice)).toMatchObject({ status: 200 });
    expect(await done(app, get, { id })).toEqual(before);
    expect((await newest()).changedFiles).toMatchObject([{ id, change: 'created' }]);
    const again = { status: 409, body: { code: taken } };
    expect(
      await app.call(rename, {
        id: other.id,
        ...Object.fromEntries(Object.keys(renamed).map((name) => [name, before[name]])),
      }),
    ).toMatchObject(again);
  });
});
