// Engines: one process, and several.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { GitSite } from '../../support/git/git-site.js';
import { RealGit } from '../../support/git/real-git.js';
import { done, keyOf, person } from '../../support/people.js';
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
/** A key of a new agent that needs no approvals. */
const agentKey = async (): Promise<string> => {
  const { id: agentId } = await done(app, 'workspace/addAgent', { name: 'Robot', asks: 'nothing' });
  return await keyOf(app, { kind: 'agent', agentId });
};

describe('gitCommit', () => {
  it('SN-02 writes what git can read: pages, components, templates and settings, each as its file', async () => {
    await shop.page('/', 'home ü\r\n');
    await shop.page('/blog/:slug', 'blog', { title: 'Blog' });
    await shop.site('createComponent', { name: 'Hero', content: 'hero', isGlobal: true });
    await shop.site('createEmailTemplate', { name: 'Welcome', slug: 'welcome', subject: 'Hi', content: '<p>Hi</p>' });
    const sha = await shop.commit('The first commit');
    expect(sha).toMatch(/^[0-9a-f]{40}$/);
    const folder = await asGit(sha);
    const files = real.text(folder, 'ls-tree', '-r', '--name-only', '-z', 'main').split('\0').filter(Boolean);
    expect(files).toEqual([
      ...['components/Hero.tsx', 'emails/welcome.html', 'pages/blog/[slug].tsx', 'pages/index.tsx', 'site.json'],
      ...['tsconfig.json', 'types/countersign-site.d.ts'],
    ]);
    const shown = (path: string) => real.run(folder, ['show', `main:${path}`]).toString();
    expect(shown('pages/index.tsx')).toBe('home ü\r\n');
    expect(JSON.parse(shown('site.json'))).toEqual({
      name: 'Shop',
      description: null,
      dependencies: {},
      brandKit: null,
      pages: {
        '/': { title: null, description: null, layout: null, isHomePage: false, isDraft: false },
        '/blog/:slug': { title: 'Blog', description: null, layout: null, isHomePage: false, isDraft: false },
      },
      components: { Hero: { description: null, type: 'custom', isGlobal: true } },
      templates: { welcome: { name: 'Welcome', subject: 'Hi', description: null, variables: [] } },
    });
    const [snapshot] = (await shop.site('listSnapshots', { limit: 1 })).snapshots;
    expect(real.text(folder, 'log', '-1', '--format=%an|%ae|%B')).toMatch(
      new RegExp(
        `^Owner\\|mem_\\w+@noreply\\.127\\.0\\.0\\.1\\|The first commit\n\nCountersign-Snapshot: ${snapshot.id}$`,
      ),
    );
  });

  it('shows the email of a member who permits it, and of nobody else', async () => {
    const editor = await person(app, 'editor');
    const { sha } = await shop.git('Commit', { message: 'Mine', showEmail: true }, editor.key);
    expect(real.text(await asGit(sha), 'log', '-1', '--format=%ae')).toBe(editor.email);
  });

  it('commits nothing twice, and shows what has changed since', async () => {
    const id = await shop.page('/a', 'a');
    expect((await shop.git('Status')).changed).toContain('pages/a.tsx');
    await shop.commit();
    expect(await shop.git('Status')).toEqual({ branch: 'main', ahead: 0, behind: 0, changed: [] });
    expect(await shop.refused('gitCommit', { message: 'Again' })).toEqual([
      409,
      'git-nothing-to-commit',
      expect.anything(),
    ]);
    await shop.change(id, { content: 'b' });
    await shop.change(id, { title: 'Title' });
    expect((await shop.git('Status')).changed).toEqual(['pages/a.tsx', 'site.json']);
    await done(app, 'site/deletePage', { id });
    expect((await shop.git('Status')).changed).toEqual(['pages/a.tsx']);
  });

  it('includes only the active page of a path', async () => {
    await shop.page('/a', 'old');
    await shop.page('/a', 'new');
    const sha = await shop.commit();
    expect(real.run(await asGit(sha), ['show', 'main:pages/a.tsx']).toString()).toBe('new');
  });

  it.each([
    ['names that differ in case', ['/About', '/about'], /'\/About' and the page at '\/about' would have the same file/],
    ['the page /index', ['/index'], /'\/index' would have the same file as the page at '\/'/],
    ['a device of some systems', ['/aux'], /'\/aux' has a name that is reserved for a device/],
    ['a character that not every system allows', ['/a*b'], /character/],
  ])('refuses %s, naming the pages', async (_, all, message) => {
    for (const path of all) await shop.page(path, 'x');
    const [status, code, detail] = await shop.refused('gitCommit', { message: 'Commit' });
    expect([status, code, detail]).toEqual([409, 'git-unfit-names', expect.stringMatching(message)]);
  });

  it('lists commits, newest first', async () => {
    const first = await shop.commit('One');
    await shop.page('/a', 'a');
    const second = await shop.commit('Two\n\nWith more.');
    const { commits } = await shop.git('ListCommits');
    expect(commits.map(({ sha, message }: { sha: string; message: string }) => [sha, message.split('\n')[0]])).toEqual([
      [second, 'Two'],
      [first, 'One'],
    ]);
    expect(commits[0]).toMatchObject({ author: 'Owner', date: expect.stringMatching(/Z$/) });
    expect((await shop.git('ListCommits', { limit: 1 })).commits).toHaveLength(1);
  });

  it('lists commits of a member who was removed without the name', async () => {
    const editor = await person(app, 'editor');
    await shop.git('Commit', { message: 'One' }, editor.key);
    await shop.page('/a', 'a');
    await shop.commit('Two');
    const authors = async () => (await shop.git('ListCommits')).commits.map(({ author }: { author: string }) => author);
    expect(await authors()).toEqual(['Owner', expect.stringMatching(/^The editor/)]);
    await done(app, 'workspace/removeMember', { id: editor.id });
    expect(await authors()).toEqual(['Owner', 'A former member']);
  });

  it('Q-G20 lists 200 commits at most, and refuses a higher limit', async () => {
    expect((await shop.git('ListCommits', { limit: 200 })).commits).toEqual([]);
    expect(await shop.refused('gitListCommits', { limit: 201 })).toEqual([400, 'invalid-input', expect.anything()]);
  });
});

describe('branches', () => {
  it('are created at the last commit, listed, and switched with the content', async () => {
    expect(await shop.refused('gitCreateBranch', { name: 'next' })).toEqual([409, 'git-no-commits', expect.anything()]);
    const id = await shop.page('/a', 'main');
    const sha = await shop.commit();
    expect(await shop.git('CreateBranch', { name: 'next' })).toEqual({ branch: 'next', sha });
    expect(await shop.git('ListBranches')).toEqual({ branches: ['main', 'next'], current: 'main' });
    expect(await shop.git('SwitchBranch', { name: 'next' })).toEqual({ branch: 'next' });
    await shop.change(id, { content: 'next', title: 'Next' });
    await shop.page('/b', 'b');
    await shop.commit('On next');
    await shop.git('SwitchBranch', { name: 'main' });
    expect([await shop.paths(), await shop.textAt('/a')]).toEqual([['/', '/a'], 'main']);
    expect((await done(app, 'site/getPage', { id })).title).toBeNull();
    await shop.git('SwitchBranch', { name: 'next' });
    expect([await shop.paths(), await shop.textAt('/a')]).toEqual([['/', '/a', '/b'], 'next']);
    expect((await shop.git('Status')).changed).toEqual([]);
    expect(await shop.refused('gitCreateBranch', { name: 'next' })).toEqual([
      409,
      'git-branch-exists',
      expect.anything(),
    ]);
    expect(await shop.refused('gitSwitchBranch', { name: 'none' })).toEqual([
      404,
      'git-branch-not-found',
      expect.anything(),
    ]);
  });

  it.each(['constructor', 'toString', '__proto__'])('the name %s is one like any other', async (name) => {
    const sha = await shop.commit();
    const missing = [404, 'git-branch-not-found', expect.stringContaining(`'${name}'`)];
    expect(await shop.refused('gitSwitchBranch', { name })).toEqual(missing);
    expect(await shop.refused('gitMerge', { from: name, to: 'main' })).toEqual(missing);
    expect(await shop.refused('gitMerge', { from: 'main', to: name })).toEqual(missing);
    expect(await shop.git('CreateBranch', { name })).toEqual({ branch: name, sha });
    expect((await shop.git('ListBranches')).branches).toEqual([name, 'main'].sort());
    expect(await shop.git('SwitchBranch', { name })).toEqual({ branch: name });
    expect(await shop.git('Status')).toEqual({ branch: name, ahead: 0, behind: 0, changed: [] });
    const id = await shop.page('/a', name);
    const next = await shop.commit();
    expect(await shop.git('Merge', { from: name, to: 'main' })).toEqual({ merged: true, sha: next });
    await shop.git('SwitchBranch', { name: 'main' });
    expect((await done(app, 'site/getPage', { id })).content).toBe(name);
  });

  it('XE-11 uncommitted edits prevent a switch, which names the pages and changes nothing', async () => {
    const id = await shop.page('/a', 'main');
    await shop.commit();
    await shop.git('CreateBranch', { name: 'next' });
    await shop.change(id, { content: 'edited' });
    const [status, code, detail] = await shop.refused('gitSwitchBranch', { name: 'next' });
    expect([status, code, detail]).toEqual([409, 'git-uncommitted', expect.stringContaining('pages/a.tsx')]);
    expect([(await shop.git('ListBranches')).current, await shop.textAt('/a')]).toEqual(['main', 'edited']);
  });

  it('SA-05 edits can be discarded by people whose keys may delete', async () => {
    const id = await shop.page('/a', 'main');
    await shop.commit();
    await shop.change(id, { content: 'edited' });
    await shop.site('updateGitPermissions', { allowAiCommit: true });
    const body = { name: 'main', discardLocalChanges: true };
    const never = await keyOf(app, {
      kind: 'connection',
      neverDeletes: true,
      memberId: (await person(app, 'editor')).id,
    });
    expect(await shop.refused('gitSwitchBranch', body, never)).toEqual([403, 'key-never-deletes', expect.anything()]);
    const automation = await keyOf(app, { kind: 'automation' });
    expect(await shop.refused('gitSwitchBranch', body, automation)).toEqual([
      403,
      'git-discard-refused',
      expect.anything(),
    ]);
    expect(await shop.textAt('/a')).toBe('edited');
    expect(await shop.git('SwitchBranch', body)).toMatchObject({ branch: 'main' });
    expect(await shop.textAt('/a')).toBe('main');
  });
});

describe('gitMerge', () => {
  it('names what both sides changed, and changes nothing', async () => {
    const { a } = await shop.branched();
    await shop.change(a, { content: 'next' });
    await shop.commit();
    await shop.git('SwitchBranch', { name: 'main' });
    await shop.change(a, { content: 'main' });
    const sha = await shop.commit();
    expect(await shop.git('Merge', { from: 'next', to: 'main' })).toEqual({
      merged: false,
      conflicts: ['pages/a.tsx'],
    });
    expect([await shop.textAt('/a'), (await shop.git('ListCommits', { limit: 1 })).commits[0].sha]).toEqual([
      'main',
      sha,
    ]);
  });

  it('updates a branch that is not the present one without touching the content', async () => {
    const { a } = await shop.branched();
    await shop.change(a, { content: 'next' });
    const sha = await shop.commit();
    expect(await shop.git('Merge', { from: 'next', to: 'main' })).toEqual({ merged: true, sha });
    expect((await shop.git('ListBranches')).current).toBe('next');
    await shop.git('SwitchBranch', { name: 'main' });
    expect(await shop.textAt('/a')).toBe('next');
  });
});

describe('gitRollback', () => {
  it('creates a new commit with the files of an earlier one', async () => {
    const id = await shop.page('/a', 'one');
    const first = await shop.commit();
    await shop.change(id, { content: 'two' });
    await shop.page('/b', 'b');
    await shop.commit();
    const { sha } = await shop.git('Rollback', { sha: first });
    expect([await shop.paths(), await shop.textAt('/a')]).toEqual([['/', '/a'], 'one']);
    const folder = await asGit(sha);
    expect(real.text(folder, 'rev-list', '--count', 'main')).toBe('3');
    expect(real.text(folder, 'diff', '--stat', first, 'main')).toBe('');
    expect((await shop.git('Status')).changed).toEqual([]);
    expect(await shop.refused('gitRollback', { sha: '0'.repeat(40) })).toEqual([
      404,
      'git-commit-not-found',
      expect.anything(),
    ]);
  });

  it('is prevented by uncommitted edits, and refused to keys that never delete', async () => {
    const id = await shop.page('/a', 'one');
    const sha = await shop.commit();
    await shop.change(id, { content: 'two' });
    expect(await shop.refused('gitRollback', { sha })).toEqual([
      409,
      'git-uncommitted',
      expect.stringContaining('pages/a.tsx'),
    ]);
    const never = await keyOf(app, {
      kind: 'connection',
      neverDeletes: true,
      memberId: (await person(app, 'editor')).id,
    });
    expect(await shop.refused('gitRollback', { sha }, never)).toEqual([403, 'key-never-deletes', expect.anything()]);
  });
});

it('is in the audit in sentences', async () => {
  await shop.page('/a', 'a');
  await shop.commit();
  const { events } = await done(app, 'audit/getHistory', { kind: 'gitRepository', id: shop.projectId });
  expect(JSON.stringify(events)).toMatch(/Committed 3 files to the branch main as [0-9a-f]{7}/);
});

describe('updateGitPermissions', () => {
  const flags = { allowAiCommit: false, allowAiPull: false, allowAiPush: false, allowAiCreateBranch: false };

  it('SA-05 is refused to agents, functions and flows, and to Editors; the flags do not change', async () => {
    const agent = await agentKey();
    const automation = await keyOf(app, { kind: 'automation' });
    const editor = await person(app, 'editor');
    for (const key of [agent, automation, editor.key]) {
      expect((await shop.refused('updateGitPermissions', { allowAiCommit: true }, key))[0]).toBe(403);
    }
    expect(await shop.site('getGitConnection')).toMatchObject(flags);
    const admin = await person(app, 'admin');
    expect(
      await done(app, 'site/updateGitPermissions', { projectId: shop.projectId, allowAiCommit: true }, admin.key),
    ).toEqual({
      success: true,
    });
    expect(await shop.site('getGitConnection')).toMatchObject({ ...flags, allowAiCommit: true });
  });

  it('can be undone', async () => {
    await shop.site('updateGitPermissions', { allowAiPush: true, publishOnPush: true });
    const { events } = await done(app, 'audit/getHistory', { kind: 'gitRepository', id: shop.projectId });
    const { position } = events.find(({ type }: { type: string }) => type === 'GitPermissionsSet');
    await done(app, 'audit/undoChange', { position });
    expect(await shop.site('getGitConnection')).toMatchObject({ ...flags, publishOnPush: false });
  });

  it('Q-S106 limits agents, each operation by its flag, but no persons', async () => {
    const key = await agentKey();
    await shop.page('/a', 'a');
    const first = await shop.commit();
    await shop.page('/b', 'b');
    const asked = [
      ['gitCommit', { message: 'By an agent' }, 'allowAiCommit'],
      ['gitCreateBranch', { name: 'agents' }, 'allowAiCreateBranch'],
      ['gitSwitchBranch', { name: 'main' }, 'allowAiCommit'],
      ['gitMerge', { from: 'main', to: 'main' }, 'allowAiCommit'],
      ['gitRollback', { sha: first }, 'allowAiCommit'],
      ['connectGitHost', { token: 'x' }, 'allowAiCommit'],
      ['gitPull', {}, 'allowAiPull'],
      ['gitPush', {}, 'allowAiPush'],
    ] as const;
    for (const [operation, body, flag] of asked) {
      const [status, code, detail] = await shop.refused(operation, body, key);
      expect([operation, status, code, detail]).toEqual([
        operation,
        403,
        'git-not-for-agents',
        expect.stringContaining(flag),
      ]);
    }
    await shop.site('updateGitPermissions', {
      allowAiCommit: true,
      allowAiPull: true,
      allowAiPush: true,
      allowAiCreateBranch: true,
    });
    for (const [operation, body] of asked) {
      const { body: answer } = await app.call(`site/${operation}`, { projectId: shop.projectId, ...body }, key);
      expect([operation, answer.code]).not.toEqual([operation, 'git-not-for-agents']);
    }
  });
});
