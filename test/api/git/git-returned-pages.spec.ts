// Engines: one process, and several.
// Second tier.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { GitSite } from '../../support/git/git-site.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let shop: GitSite;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  shop = await GitSite.of(app);
});

const forOwner = { isProtected: true, requiredRole: null, accessRules: {} };
const forEverybody = { isProtected: false, requiredRole: null, accessRules: null };
const secret = 'the\nsecret\ncontent\n';

const setRules = (pageId: string, accessRules: object) => done(app, 'site/setPageAccessRules', { pageId, accessRules });
const setActive = (pageId: string, active: boolean) => shop.site('setPageActive', { pageId, active });
const remove = (id: string) => done(app, 'site/deletePage', { id });

/** The active page of a path: its content, and who may read it. */
async function shownAt(path: string) {
  const pages: readonly { id: string; path: string; active: boolean }[] = await shop.site('listPages');
  const id = pages.find((one) => one.active && one.path === path)?.id;
  if (id === undefined) throw new Error(`No active page is at ${path}.`);
  const { content, isProtected, requiredRole } = await done(app, 'site/getPage', { id });
  const { accessRules } = await done(app, 'site/getPageAccessRules', { pageId: id });
  return { id, content, rules: { isProtected, requiredRole, accessRules } };
}

/** A page only for the owner, in the commit `first`. */
async function secretPage(path = '/secret') {
  const id = await shop.page(path, secret);
  await setRules(id, {});
  return { id, first: await shop.commit() };
}

describe('content of a page with rules, which comes back to a path where it is no longer', () => {
  it.each<readonly [string, (id: string) => Promise<unknown>]>([
    ['was deactivated', (id) => setActive(id, false)],
    [
      'was moved and deleted',
      async (id) => {
        await shop.change(id, { path: '/old' });
        await remove(id);
      },
    ],
    [
      'was moved, deactivated and opened',
      async (id) => {
        await shop.change(id, { path: '/old' });
        await setActive(id, false);
        await setRules(id, { read: { type: 'public', scope: 'everywhere' } });
      },
    ],
    [
      'gave way to an open page, which was deleted',
      async () => {
        await remove(await shop.page('/secret', 'open\n'));
      },
    ],
    [
      'was deleted, while an open page that is like it was made elsewhere',
      async (id) => {
        await remove(id);
        await shop.page('/open', `${secret}open\n`);
      },
    ],
  ])('is only for the owner if the page %s', async (_, leave) => {
    const { id, first } = await secretPage();
    await leave(id);
    await shop.commit();
    await shop.git('Rollback', { sha: first });
    expect(await shownAt('/secret')).toMatchObject({ content: secret, rules: forOwner });
  });

  it('is only for the owner if the page has moved to the path of another, which comes back too', async () => {
    const old = await shop.page('/old', 'open\n');
    const { id, first } = await secretPage();
    await remove(old);
    await shop.change(id, { path: '/old' });
    await shop.commit();
    await shop.git('Rollback', { sha: first });
    expect(await shownAt('/secret')).toMatchObject({ content: secret, rules: forOwner });
    expect(await shownAt('/old')).toMatchObject({ id, content: 'open\n', rules: forOwner });
  });

  it('is only for the owner after a switch and after a merge', async () => {
    const { id } = await secretPage();
    await shop.git('CreateBranch', { name: 'next' });
    await shop.git('CreateBranch', { name: 'later' });
    await setActive(id, false);
    await shop.commit();
    await shop.git('SwitchBranch', { name: 'next' });
    const returned = await shownAt('/secret');
    expect(returned).toMatchObject({ content: secret, rules: forOwner });
    await shop.change(returned.id, { content: `${secret}more\n` });
    await shop.commit();
    await shop.git('SwitchBranch', { name: 'main' });
    await shop.git('SwitchBranch', { name: 'later' });
    expect((await shownAt('/secret')).rules).toEqual(forOwner);
    await shop.git('Merge', { from: 'next', to: 'later' });
    expect(await shownAt('/secret')).toMatchObject({ content: `${secret}more\n`, rules: forOwner });
  });
});

describe('a page that comes back', () => {
  it('has the rules that a member gave it since, if its content is the same', async () => {
    const { id, first } = await secretPage();
    await setActive(id, false);
    await shop.commit();
    await shop.git('CreateBranch', { name: 'without' });
    await shop.git('Rollback', { sha: first });
    const { id: returned } = await shownAt('/secret');
    await setRules(returned, { read: { type: 'public', scope: 'everywhere' } });
    const opened = await shownAt('/secret');
    await shop.git('SwitchBranch', { name: 'without' });
    await shop.git('SwitchBranch', { name: 'main' });
    expect(await shownAt('/secret')).toEqual(opened);
  });

  it('has its own rules where it was before, also if they were changed elsewhere', async () => {
    const { id, first } = await secretPage();
    await shop.change(id, { path: '/new', content: `${secret}more\n` });
    await shop.commit();
    await setRules(id, { read: { type: 'authenticated' } });
    await shop.git('Rollback', { sha: first });
    const rules = { isProtected: true, requiredRole: null, accessRules: { read: { type: 'authenticated' } } };
    expect(await shownAt('/secret')).toMatchObject({ id, rules });
  });

  it('is open if the page with rules at its path was open to everybody', async () => {
    const { id, first } = await secretPage('/news');
    await setRules(id, { read: { type: 'public', scope: 'everywhere' } });
    await setActive(id, false);
    await shop.commit();
    await shop.git('Rollback', { sha: first });
    expect(await shownAt('/news')).toMatchObject({ content: secret, rules: forEverybody });
  });

  it('is open if no page with rules was at its path', async () => {
    await secretPage('/other');
    const id = await shop.page('/open', 'open\n');
    const sha = await shop.commit();
    await setActive(id, false);
    await shop.commit();
    await shop.git('Rollback', { sha });
    expect(await shownAt('/open')).toMatchObject({ content: 'open\n', rules: forEverybody });
  });
});
