// Engines: one process, and several.
// Second tier.
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Histories } from '../../../src/areas/sites/source-control/histories.js';
import { SiteChanges } from '../../../src/areas/sites/source-control/site-changes.js';
import type { TestApp } from '../../support/app.js';
import { GitSite } from '../../support/git/git-site.js';
import { RealGit } from '../../support/git/real-git.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let shop: GitSite;
const real = new RealGit();
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(async () => {
  await app.close();
  real.remove();
});
beforeEach(async () => {
  shop = await GitSite.of(app);
});

const asGit = (sha: string) => shop.as(real, sha);

describe('gitCommit', () => {
  it('makes one commit on top of another, however many come at once', async () => {
    const ids = await Promise.all([1, 2, 3].map((n) => shop.page(`/p${n}`, 'begin')));
    await shop.commit();
    const made = await Promise.all(
      ids.map(async (id, n) => {
        await shop.change(id, { content: `edit ${n}` });
        return await app.call('site/gitCommit', { projectId: shop.projectId, message: `Edit ${n}` });
      }),
    );
    // A commit can include the edit of another call, which then has nothing to commit.
    for (const { status, body } of made)
      expect([200, 'git-nothing-to-commit']).toContain(status === 200 ? 200 : body.code);
    expect((await shop.git('Status')).changed).toEqual([]);
    const { commits } = await shop.git('ListCommits');
    expect(commits).toHaveLength(1 + made.filter(({ status }) => status === 200).length);
    await asGit(commits[0].sha);
  });
});

describe('branches', () => {
  it('a switch that discards edits answers a snapshot with them, which can restore them', async () => {
    const id = await shop.page('/a', 'main');
    await shop.commit();
    await shop.git('CreateBranch', { name: 'next' });
    await shop.change(id, { content: 'edited' });
    const { snapshotId } = await shop.git('SwitchBranch', { name: 'next', discardLocalChanges: true });
    expect(await shop.textAt('/a')).toBe('main');
    await shop.site('restoreSnapshot', { snapshotId });
    expect(await shop.textAt('/a')).toBe('edited');
  });

  it('a switch, merge or roll-back does not lose edited settings of a page that it deletes or moves', async () => {
    const first = await shop.commit();
    const id = await shop.page('/x', 'one\ntwo\n', { title: 'Committed' });
    await shop.commit();
    await shop.git('CreateBranch', { name: 'moved' });
    await shop.git('SwitchBranch', { name: 'moved' });
    await shop.change(id, { path: '/y' });
    await shop.commit();
    await shop.git('SwitchBranch', { name: 'main' });
    await shop.change(id, { title: 'Uncommitted' });
    const stopped = [409, 'git-uncommitted', expect.stringContaining('site.json')];
    expect(await shop.refused('gitRollback', { sha: first })).toEqual(stopped);
    expect(await shop.refused('gitSwitchBranch', { name: 'moved' })).toEqual(stopped);
    expect(await shop.refused('gitMerge', { from: 'moved', to: 'main' })).toEqual(stopped);
    expect(await done(app, 'site/getPage', { id })).toMatchObject({ path: '/x', title: 'Uncommitted' });
    await shop.change(id, { title: 'Committed' });
    expect(await shop.git('SwitchBranch', { name: 'moved' })).toEqual({ branch: 'moved' });
  });

  it('a page restored with its branch has its id and its rules again', async () => {
    await shop.commit();
    await shop.git('CreateBranch', { name: 'next' });
    await shop.git('SwitchBranch', { name: 'next' });
    const id = await shop.page('/secret', 'secret', { isProtected: true });
    await done(app, 'site/setPageAccessRules', { pageId: id, accessRules: {} });
    await shop.commit();
    await shop.git('SwitchBranch', { name: 'main' });
    expect(await shop.paths()).toEqual(['/']);
    await shop.git('SwitchBranch', { name: 'next' });
    expect(await done(app, 'site/getPage', { id })).toMatchObject({ path: '/secret', isProtected: true });
    expect((await done(app, 'site/getPageAccessRules', { pageId: id })).accessRules).toEqual({});
  });

  it('a template and a component restored with their branch have their ids again, so that sign-in still uses the template', async () => {
    const id = shop.projectId;
    await shop.commit();
    await shop.git('CreateBranch', { name: 'old' });
    const body = { name: 'Verify', slug: 'verify', subject: 'Welcome', content: '<p>Verify</p>' };
    const template = await shop.site('createEmailTemplate', body);
    const component = await shop.site('createComponent', { name: 'Hero', description: 'Large', content: 'hero' });
    await done(app, 'site/updateProjectAuth', { id, authVerifyTemplateId: template.id });
    await shop.commit();
    const records = async () => [await shop.site('listEmailTemplates'), await shop.site('listComponents')];
    await shop.git('SwitchBranch', { name: 'old' });
    expect(await records()).toEqual([[], []]);
    await shop.git('SwitchBranch', { name: 'main' });
    expect(await done(app, 'site/getEmailTemplate', { id: template.id })).toMatchObject(body);
    const shown = { name: 'Hero', description: 'Large', content: 'hero' };
    expect(await done(app, 'site/getComponent', { id: component.id })).toMatchObject(shown);
    expect((await records()).map((all: readonly object[]) => all.length)).toEqual([1, 1]);
    expect((await done(app, 'site/getProject', { id })).auth.authVerifyTemplateId).toBe(template.id);
    expect((await shop.git('Status')).changed).toEqual([]);
  });

  it('a template is restored as the one that was deleted last with its slug, also if another had the slug since', async () => {
    const template = (slug: string) => shop.site('createEmailTemplate', { name: slug, slug, content: slug });
    const setSlug = (id: string, slug: string) => done(app, 'site/updateEmailTemplate', { id, slug });
    const remove = (id: string) => done(app, 'site/deleteEmailTemplate', { id });
    const { id } = await template('verify');
    const renamed = await template('renamed');
    const first = await shop.commit();
    await remove(id);
    const { id: other } = await template('other');
    await setSlug(other, 'verify');
    await setSlug(other, 'other');
    await setSlug(renamed.id, 'gone');
    await remove(renamed.id);
    await shop.commit();
    await shop.git('Rollback', { sha: first });
    const ids = (await shop.site('listEmailTemplates')).map((one: { id: string; slug: string }) => [one.slug, one.id]);
    expect(Object.fromEntries(ids)).toEqual({ verify: id, renamed: expect.not.stringContaining(renamed.id) });
  });

  it.each(['SwitchBranch', 'Rollback'])(
    'git%s does not overwrite settings that a member edits before it is recorded',
    async (operation) => {
      const id = shop.projectId;
      const sha = await shop.commit();
      await shop.git('CreateBranch', { name: 'next' });
      await done(app, 'site/updateProject', { id, description: 'Committed' });
      await shop.commit();
      const plans = app.app.get(SiteChanges, { strict: false });
      const plan = plans.plan.bind(plans);
      const spy = jest.spyOn(plans, 'plan').mockImplementationOnce(async (...sent) => {
        const planned = await plan(...sent);
        await done(app, 'site/updateProject', { id, name: 'New shop' });
        return planned;
      });
      const body = operation === 'Rollback' ? { sha } : { name: 'next' };
      expect(await shop.refused(`git${operation}`, body)).toEqual([
        409,
        'git-uncommitted',
        expect.stringContaining('site.json'),
      ]);
      spy.mockRestore();
      const edited = { name: 'New shop', description: 'Committed' };
      expect(await done(app, 'site/getProject', { id })).toMatchObject(edited);
    },
  );
});

describe('gitMerge', () => {
  it('combines the changes of both sides, also in settings', async () => {
    const { a, b } = await shop.branched();
    await shop.change(a, { content: 'next\n', title: 'A' });
    await shop.commit();
    await shop.git('SwitchBranch', { name: 'main' });
    await shop.change(b, { content: 'main\n', title: 'B' });
    await shop.commit();
    const merged = await shop.git('Merge', { from: 'next', to: 'main' });
    expect(merged).toEqual({ merged: true, sha: expect.any(String) });
    expect([await shop.textAt('/a'), await shop.textAt('/b')]).toEqual(['next\n', 'main\n']);
    expect([
      (await done(app, 'site/getPage', { id: a })).title,
      (await done(app, 'site/getPage', { id: b })).title,
    ]).toEqual(['A', 'B']);
    expect((await shop.git('Status')).changed).toEqual([]);
    expect(real.text(await asGit(merged.sha), 'log', '-1', '--format=%P').split(' ')).toHaveLength(2);
    expect(await shop.git('Merge', { from: 'next', to: 'main' })).toEqual(merged);
  });

  it('is refused if the site switches to another branch meanwhile', async () => {
    const { a, b } = await shop.branched();
    await shop.change(a, { content: 'next' });
    await shop.commit();
    await shop.git('SwitchBranch', { name: 'main' });
    await shop.change(b, { content: 'main' });
    await shop.commit();
    const histories = app.app.get(Histories, { strict: false });
    const merged = histories.merged.bind(histories);
    const spy = jest.spyOn(histories, 'merged').mockImplementationOnce(async (...sent) => {
      await shop.git('SwitchBranch', { name: 'next' });
      return await merged(...sent);
    });
    const before = await shop.git('ListBranches');
    expect((await shop.refused('gitMerge', { from: 'next', to: 'main' }))[1]).toBe('too-much-contention');
    spy.mockRestore();
    expect(await shop.git('ListBranches')).toEqual({ ...before, current: 'next' });
    expect((await shop.git('Status')).changed).toEqual([]);
    expect([await shop.textAt('/a'), await shop.textAt('/b')]).toEqual(['next', 'b\n']);
  });
});
