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

const titleOf = async (id: string): Promise<string | null> => (await done(app, 'site/getPage', { id })).title;
const changed = async (): Promise<readonly string[]> => (await shop.git('Status')).changed;

const about = { description: 'Edited', dependencies: { tea: '1.0.0' }, brandKit: { fonts: ['Inter'] } };
const update = (sent: object) => done(app, 'site/updateProject', { id: shop.projectId, ...sent });
const project = async () => {
  const { description, dependencies, brandKit } = await done(app, 'site/getProject', { id: shop.projectId });
  return { description, dependencies, brandKit };
};

/** The branches `main` and `next` have a page whose settings are all defaults, so that `site.json` does not name it. */
async function unnamed() {
  const first = await shop.commit();
  const id = await shop.page('/b', 'b\n');
  const second = await shop.commit();
  await shop.git('CreateBranch', { name: 'next' });
  return { id, first, second };
}

describe('a page that site.json does not name', () => {
  it('has the default settings on its branch, whatever it has on another', async () => {
    const { id } = await unnamed();
    await shop.git('SwitchBranch', { name: 'next' });
    await shop.change(id, { title: 'Next', isDraft: true });
    await shop.commit();
    await shop.git('SwitchBranch', { name: 'main' });
    expect(await done(app, 'site/getPage', { id })).toMatchObject({ title: null, isDraft: false });
    expect(await changed()).toEqual([]);
    await shop.git('SwitchBranch', { name: 'next' });
    expect(await done(app, 'site/getPage', { id })).toMatchObject({ title: 'Next', isDraft: true });
  });

  it('has the default settings again after a roll-back', async () => {
    const { id, second } = await unnamed();
    await shop.change(id, { title: 'Later' });
    await shop.commit();
    await shop.git('Rollback', { sha: second });
    expect([await titleOf(id), await changed()]).toEqual([null, []]);
  });

  it('has the default settings when its branch brings it back', async () => {
    const { id, first, second } = await unnamed();
    await shop.change(id, { title: 'Later' });
    await shop.commit();
    await shop.git('Rollback', { sha: first });
    await shop.git('Rollback', { sha: second });
    expect([await titleOf(id), await changed()]).toEqual([null, []]);
  });

  it('has the default settings when its branch moves it back', async () => {
    const { id } = await unnamed();
    await shop.git('SwitchBranch', { name: 'next' });
    await shop.change(id, { path: '/c', title: 'Next' });
    await shop.commit();
    await shop.git('SwitchBranch', { name: 'main' });
    expect(await done(app, 'site/getPage', { id })).toMatchObject({ path: '/b', title: null });
    expect(await changed()).toEqual([]);
  });

  it('has uncommitted settings that are shown, and that a switch, merge or roll-back does not overwrite', async () => {
    const { id, first } = await unnamed();
    await shop.git('SwitchBranch', { name: 'next' });
    await shop.change(id, { title: 'Next' });
    await shop.commit();
    await shop.git('SwitchBranch', { name: 'main' });
    await shop.change(id, { title: 'Uncommitted' });
    expect(await changed()).toEqual(['site.json']);
    const stopped = [409, 'git-uncommitted', expect.stringContaining('site.json')];
    expect(await shop.refused('gitSwitchBranch', { name: 'next' })).toEqual(stopped);
    expect(await shop.refused('gitMerge', { from: 'next', to: 'main' })).toEqual(stopped);
    expect(await shop.refused('gitRollback', { sha: first })).toEqual(stopped);
    expect(await titleOf(id)).toBe('Uncommitted');
    await shop.commit();
    await shop.git('SwitchBranch', { name: 'next' });
    await shop.git('SwitchBranch', { name: 'main' });
    expect([await titleOf(id), await changed()]).toEqual(['Uncommitted', []]);
  });

  it('has uncommitted settings that stay where neither branch names it, unless they are discarded', async () => {
    const { id } = await unnamed();
    await shop.change(id, { title: 'Uncommitted' });
    expect(await shop.git('SwitchBranch', { name: 'next' })).toEqual({ branch: 'next' });
    expect([await titleOf(id), await changed()]).toEqual(['Uncommitted', ['site.json']]);
    const { snapshotId } = await shop.git('SwitchBranch', { name: 'main', discardLocalChanges: true });
    expect([await titleOf(id), await changed()]).toEqual([null, []]);
    await shop.site('restoreSnapshot', { snapshotId });
    expect(await titleOf(id)).toBe('Uncommitted');
  });

  it('is merged as one with default settings', async () => {
    const { id } = await unnamed();
    await shop.git('SwitchBranch', { name: 'next' });
    await shop.change(id, { title: 'Next' });
    await shop.commit();
    await shop.git('SwitchBranch', { name: 'main' });
    const other = await shop.page('/c', 'c\n', { title: 'Other' });
    await shop.commit();
    expect(await shop.git('Merge', { from: 'next', to: 'main' })).toMatchObject({ merged: true });
    expect([await titleOf(id), await titleOf(other), await changed()]).toEqual(['Next', 'Other', []]);
  });
});

describe('a switch that discards edited settings of the project', () => {
  const discard = () => shop.git('SwitchBranch', { name: 'next', discardLocalChanges: true });
  const undoLast = async (type: string) => {
    const { events } = await done(app, 'audit/getHistory', { kind: 'project', id: shop.projectId });
    const { position } = events.filter((one: { type: string }) => one.type === type).at(-1);
    await done(app, 'audit/undoChange', { position });
  };

  it('answers a snapshot from which restoreSnapshot restores them with the content', async () => {
    const id = await shop.page('/a', 'main');
    await shop.commit();
    await shop.git('CreateBranch', { name: 'next' });
    const committed = await project();
    await shop.change(id, { content: 'edited' });
    await update(about);
    expect(await shop.refused('gitSwitchBranch', { name: 'next' })).toEqual([
      409,
      'git-uncommitted',
      expect.stringContaining('site.json'),
    ]);
    const { snapshotId } = await discard();
    expect([await shop.textAt('/a'), await project()]).toEqual(['main', committed]);
    expect((await shop.site('listSnapshots', { limit: 2 })).snapshots).toMatchObject([
      { label: 'Switched to the branch next', changedFiles: [{ id }] },
      { id: snapshotId, kind: 'change', label: 'Before the switch to the branch next', changedFiles: [] },
    ]);
    const { pages } = await shop.site('getSnapshotContent', { snapshotId });
    expect(pages.find((one: { id: string }) => one.id === id).content).toBe('edited');
    await shop.site('restoreSnapshot', { snapshotId });
    expect([await shop.textAt('/a'), await project()]).toEqual(['edited', about]);
  });

  it('answers one for each switch, also if it changes no page, and what is restored can be undone', async () => {
    await shop.commit();
    await shop.git('CreateBranch', { name: 'next' });
    const committed = await project();
    await update(about);
    const first = await discard();
    await shop.git('SwitchBranch', { name: 'main' });
    await update({ description: 'Edited again' });
    const second = await discard();
    expect(await project()).toEqual(committed);
    await shop.site('restoreSnapshot', { snapshotId: second.snapshotId });
    expect(await project()).toEqual({ ...committed, description: 'Edited again' });
    await undoLast('ProjectUpdated');
    expect(await project()).toEqual(committed);
    await shop.site('restoreSnapshot', { snapshotId: first.snapshotId });
    expect(await project()).toEqual(about);
  });

  it('is counted as one changed file in the audit', async () => {
    await shop.commit();
    await shop.git('CreateBranch', { name: 'next' });
    await update(about);
    await discard();
    const { events } = await done(app, 'audit/getHistory', { kind: 'gitRepository', id: shop.projectId });
    expect(JSON.stringify(events)).toMatch(/switched to the branch next, which changed one file and discarded/);
  });
});
