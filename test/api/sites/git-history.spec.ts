// Engines: one process, and several.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { RealGit } from '../../support/git/real-git.js';
import { done, keyOf, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let workspaceId: string;
let projectId: string;
const real = new RealGit();
beforeAll(async () => {
  app = await sharedApp();
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
});
afterAll(async () => {
  await app.close();
  real.remove();
});
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Shop' })).id;
});

const git = (operation: string, body: object = {}, key?: string) =>
  done(app, `site/git${operation}`, { projectId, ...body }, key);
const refused = async (operation: string, body: object = {}, key?: string) => {
  const { status, body: answer } = await app.call(`site/${operation}`, { projectId, ...body }, key);
  return [status, answer.code, answer.detail];
};
/** A key of a new agent that needs no approvals. */
const agentKey = async (): Promise<string> => {
  const { id: agentId } = await done(app, 'workspace/addAgent', { name: 'Robot', asks: 'nothing' });
  return await keyOf(app, { kind: 'agent', agentId });
};
const site = (operation: string, body: object = {}) => done(app, `site/${operation}`, { projectId, ...body });
const commit = async (message = 'Commit'): Promise<string> => (await git('Commit', { message })).sha;
const page = async (path: string, content: string, more: object = {}) =>
  (await site('createPage', { name: 'Page', path, content, ...more })).id as string;
const change = (id: string, body: object) => done(app, 'site/updatePage', { id, ...body });
const paths = async (): Promise<readonly string[]> =>
  (await site('listPages')).map((one: { path: string }) => one.path).sort();
const textAt = async (path: string): Promise<string> => {
  const { id } = (await site('listPages')).find((one: { path: string }) => one.path === path);
  return (await done(app, 'site/getPage', { id })).content;
};
/** Makes a bare repository for the real git, which checks it. */
const asGit = (sha: string): string => {
  const folder = `bare-${sha.slice(0, 12)}`;
  const packs = join(app.dataDir, 'git', workspaceId, projectId);
  const names = readdirSync(packs).flatMap((name) => (name.endsWith('.idx') ? [name.slice(0, -4)] : []));
  real.adopt(folder, packs, { packs: names }, sha);
  return folder;
};

describe('gitCommit', () => {
  it('SN-02 writes what git can read: pages, components, templates and settings, each as its file', async () => {
    await page('/', 'home ü\r\n');
    await page('/blog/:slug', 'blog', { title: 'Blog' });
    await site('createComponent', { name: 'Hero', content: 'hero', isGlobal: true });
    await site('createEmailTemplate', { name: 'Welcome', slug: 'welcome', subject: 'Hi', content: '<p>Hi</p>' });
    const sha = await commit('The first commit');
    expect(sha).toMatch(/^[0-9a-f]{40}$/);
    const folder = asGit(sha);
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
    const [snapshot] = (await site('listSnapshots', { limit: 1 })).snapshots;
    expect(real.text(folder, 'log', '-1', '--format=%an|%ae|%B')).toMatch(
      new RegExp(
        `^Owner\\|mem_\\w+@noreply\\.127\\.0\\.0\\.1\\|The first commit\n\nCountersign-Snapshot: ${snapshot.id}$`,
      ),
    );
  });

  it('shows the email of a member who permits it, and of nobody else', async () => {
    const editor = await person(app, 'editor');
    const { sha } = await git('Commit', { message: 'Mine', showEmail: true }, editor.key);
    expect(real.text(asGit(sha), 'log', '-1', '--format=%ae')).toBe(editor.email);
  });

  it('commits nothing twice, and shows what has changed since', async () => {
    const id = await page('/a', 'a');
    expect((await git('Status')).changed).toContain('pages/a.tsx');
    await commit();
    expect(await git('Status')).toEqual({ branch: 'main', ahead: 0, behind: 0, changed: [] });
    expect(await refused('gitCommit', { message: 'Again' })).toEqual([409, 'git-nothing-to-commit', expect.anything()]);
    await change(id, { content: 'b' });
    await change(id, { title: 'Title' });
    expect((await git('Status')).changed).toEqual(['pages/a.tsx', 'site.json']);
    await done(app, 'site/deletePage', { id });
    expect((await git('Status')).changed).toEqual(['pages/a.tsx']);
  });

  it('includes only the active page of a path', async () => {
    await page('/a', 'old');
    await page('/a', 'new');
    const sha = await commit();
    expect(real.run(asGit(sha), ['show', 'main:pages/a.tsx']).toString()).toBe('new');
  });

  it.each([
    ['names that differ in case', ['/About', '/about'], /'\/About' and the page at '\/about' would have the same file/],
    ['the page /index', ['/index'], /'\/index' would have the same file as the page at '\/'/],
    ['a device of some systems', ['/aux'], /'\/aux' has a name that is reserved for a device/],
    ['a character that not every system allows', ['/a*b'], /character/],
  ])('refuses %s, naming the pages', async (_, all, message) => {
    for (const path of all) await page(path, 'x');
    const [status, code, detail] = await refused('gitCommit', { message: 'Commit' });
    expect([status, code, detail]).toEqual([409, 'git-unfit-names', expect.stringMatching(message)]);
  });

  it('makes one commit on top of another, however many come at once', async () => {
    const ids = await Promise.all([1, 2, 3].map((n) => page(`/p${n}`, 'begin')));
    await commit();
    const made = await Promise.all(
      ids.map(async (id, n) => {
        await change(id, { content: `edit ${n}` });
        return await app.call('site/gitCommit', { projectId, message: `Edit ${n}` });
      }),
    );
    // A commit can include the edit of another call, which then has nothing to commit.
    for (const { status, body } of made)
      expect([200, 'git-nothing-to-commit']).toContain(status === 200 ? 200 : body.code);
    expect((await git('Status')).changed).toEqual([]);
    const { commits } = await git('ListCommits');
    expect(commits).toHaveLength(1 + made.filter(({ status }) => status === 200).length);
    asGit(commits[0].sha);
  });

  it('lists commits, newest first', async () => {
    const first = await commit('One');
    await page('/a', 'a');
    const second = await commit('Two\n\nWith more.');
    const { commits } = await git('ListCommits');
    expect(commits.map(({ sha, message }: { sha: string; message: string }) => [sha, message.split('\n')[0]])).toEqual([
      [second, 'Two'],
      [first, 'One'],
    ]);
    expect(commits[0]).toMatchObject({ author: 'Owner', date: expect.stringMatching(/Z$/) });
    expect((await git('ListCommits', { limit: 1 })).commits).toHaveLength(1);
  });
});

describe('branches', () => {
  it('are created at the last commit, listed, and switched with the content', async () => {
    expect(await refused('gitCreateBranch', { name: 'next' })).toEqual([409, 'git-no-commits', expect.anything()]);
    const id = await page('/a', 'main');
    const sha = await commit();
    expect(await git('CreateBranch', { name: 'next' })).toEqual({ branch: 'next', sha });
    expect(await git('ListBranches')).toEqual({ branches: ['main', 'next'], current: 'main' });
    expect(await git('SwitchBranch', { name: 'next' })).toEqual({ branch: 'next' });
    await change(id, { content: 'next', title: 'Next' });
    await page('/b', 'b');
    await commit('On next');
    await git('SwitchBranch', { name: 'main' });
    expect([await paths(), await textAt('/a')]).toEqual([['/', '/a'], 'main']);
    expect((await done(app, 'site/getPage', { id })).title).toBeNull();
    await git('SwitchBranch', { name: 'next' });
    expect([await paths(), await textAt('/a')]).toEqual([['/', '/a', '/b'], 'next']);
    expect((await git('Status')).changed).toEqual([]);
    expect(await refused('gitCreateBranch', { name: 'next' })).toEqual([409, 'git-branch-exists', expect.anything()]);
    expect(await refused('gitSwitchBranch', { name: 'none' })).toEqual([
      404,
      'git-branch-not-found',
      expect.anything(),
    ]);
  });

  it('XE-11 uncommitted edits prevent a switch, which names the pages and changes nothing', async () => {
    const id = await page('/a', 'main');
    await commit();
    await git('CreateBranch', { name: 'next' });
    await change(id, { content: 'edited' });
    const [status, code, detail] = await refused('gitSwitchBranch', { name: 'next' });
    expect([status, code, detail]).toEqual([409, 'git-uncommitted', expect.stringContaining('pages/a.tsx')]);
    expect([(await git('ListBranches')).current, await textAt('/a')]).toEqual(['main', 'edited']);
  });

  it('a switch that discards edits answers a snapshot with them, which can restore them', async () => {
    const id = await page('/a', 'main');
    await commit();
    await git('CreateBranch', { name: 'next' });
    await change(id, { content: 'edited' });
    const { snapshotId } = await git('SwitchBranch', { name: 'next', discardLocalChanges: true });
    expect(await textAt('/a')).toBe('main');
    await site('restoreSnapshot', { snapshotId });
    expect(await textAt('/a')).toBe('edited');
  });

  it('SA-05 edits can be discarded by people whose keys may delete', async () => {
    const id = await page('/a', 'main');
    await commit();
    await change(id, { content: 'edited' });
    await site('updateGitPermissions', { allowAiCommit: true });
    const body = { name: 'main', discardLocalChanges: true };
    const never = await keyOf(app, {
      kind: 'connection',
      neverDeletes: true,
      memberId: (await person(app, 'editor')).id,
    });
    expect(await refused('gitSwitchBranch', body, never)).toEqual([403, 'key-never-deletes', expect.anything()]);
    const automation = await keyOf(app, { kind: 'automation' });
    expect(await refused('gitSwitchBranch', body, automation)).toEqual([403, 'git-discard-refused', expect.anything()]);
    expect(await textAt('/a')).toBe('edited');
    expect(await git('SwitchBranch', body)).toMatchObject({ branch: 'main' });
    expect(await textAt('/a')).toBe('main');
  });

  it('a page restored with its branch has its id and its rules again', async () => {
    await commit();
    await git('CreateBranch', { name: 'next' });
    await git('SwitchBranch', { name: 'next' });
    const id = await page('/secret', 'secret', { isProtected: true });
    await done(app, 'site/setPageAccessRules', { pageId: id, accessRules: {} });
    await commit();
    await git('SwitchBranch', { name: 'main' });
    expect(await paths()).toEqual(['/']);
    await git('SwitchBranch', { name: 'next' });
    expect(await done(app, 'site/getPage', { id })).toMatchObject({ path: '/secret', isProtected: true });
    expect((await done(app, 'site/getPageAccessRules', { pageId: id })).accessRules).toEqual({});
  });
});

describe('gitMerge', () => {
  const begin = async () => {
    const a = await page('/a', 'a\n');
    const b = await page('/b', 'b\n');
    await commit();
    await git('CreateBranch', { name: 'next' });
    await git('SwitchBranch', { name: 'next' });
    return { a, b };
  };

  it('combines the changes of both sides, also in settings', async () => {
    const { a, b } = await begin();
    await change(a, { content: 'next\n', title: 'A' });
    await commit();
    await git('SwitchBranch', { name: 'main' });
    await change(b, { content: 'main\n', title: 'B' });
    await commit();
    const merged = await git('Merge', { from: 'next', to: 'main' });
    expect(merged).toEqual({ merged: true, sha: expect.any(String) });
    expect([await textAt('/a'), await textAt('/b')]).toEqual(['next\n', 'main\n']);
    expect([
      (await done(app, 'site/getPage', { id: a })).title,
      (await done(app, 'site/getPage', { id: b })).title,
    ]).toEqual(['A', 'B']);
    expect((await git('Status')).changed).toEqual([]);
    expect(real.text(asGit(merged.sha), 'log', '-1', '--format=%P').split(' ')).toHaveLength(2);
    expect(await git('Merge', { from: 'next', to: 'main' })).toEqual(merged);
  });

  it('names what both sides changed, and changes nothing', async () => {
    const { a } = await begin();
    await change(a, { content: 'next' });
    await commit();
    await git('SwitchBranch', { name: 'main' });
    await change(a, { content: 'main' });
    const sha = await commit();
    expect(await git('Merge', { from: 'next', to: 'main' })).toEqual({ merged: false, conflicts: ['pages/a.tsx'] });
    expect([await textAt('/a'), (await git('ListCommits', { limit: 1 })).commits[0].sha]).toEqual(['main', sha]);
  });

  it('updates a branch that is not the present one without touching the content', async () => {
    const { a } = await begin();
    await change(a, { content: 'next' });
    const sha = await commit();
    expect(await git('Merge', { from: 'next', to: 'main' })).toEqual({ merged: true, sha });
    expect((await git('ListBranches')).current).toBe('next');
    await git('SwitchBranch', { name: 'main' });
    expect(await textAt('/a')).toBe('next');
  });
});

describe('gitRollback', () => {
  it('creates a new commit with the files of an earlier one', async () => {
    const id = await page('/a', 'one');
    const first = await commit();
    await change(id, { content: 'two' });
    await page('/b', 'b');
    await commit();
    const { sha } = await git('Rollback', { sha: first });
    expect([await paths(), await textAt('/a')]).toEqual([['/', '/a'], 'one']);
    const folder = asGit(sha);
    expect(real.text(folder, 'rev-list', '--count', 'main')).toBe('3');
    expect(real.text(folder, 'diff', '--stat', first, 'main')).toBe('');
    expect((await git('Status')).changed).toEqual([]);
    expect(await refused('gitRollback', { sha: '0'.repeat(40) })).toEqual([
      404,
      'git-commit-not-found',
      expect.anything(),
    ]);
  });

  it('is prevented by uncommitted edits, and refused to keys that never delete', async () => {
    const id = await page('/a', 'one');
    const sha = await commit();
    await change(id, { content: 'two' });
    expect(await refused('gitRollback', { sha })).toEqual([
      409,
      'git-uncommitted',
      expect.stringContaining('pages/a.tsx'),
    ]);
    const never = await keyOf(app, {
      kind: 'connection',
      neverDeletes: true,
      memberId: (await person(app, 'editor')).id,
    });
    expect(await refused('gitRollback', { sha }, never)).toEqual([403, 'key-never-deletes', expect.anything()]);
  });
});

it('is in the audit in sentences', async () => {
  await page('/a', 'a');
  await commit();
  const { events } = await done(app, 'audit/getHistory', { kind: 'gitRepository', id: projectId });
  expect(JSON.stringify(events)).toMatch(/Committed 3 files to the branch main as [0-9a-f]{7}/);
});

describe('updateGitPermissions', () => {
  const flags = { allowAiCommit: false, allowAiPull: false, allowAiPush: false, allowAiCreateBranch: false };

  it('SA-05 is refused to agents, functions and flows, and to Editors; the flags do not change', async () => {
    const agent = await agentKey();
    const automation = await keyOf(app, { kind: 'automation' });
    const editor = await person(app, 'editor');
    for (const key of [agent, automation, editor.key]) {
      expect((await refused('updateGitPermissions', { allowAiCommit: true }, key))[0]).toBe(403);
    }
    expect(await site('getGitConnection')).toMatchObject(flags);
    const admin = await person(app, 'admin');
    expect(await done(app, 'site/updateGitPermissions', { projectId, allowAiCommit: true }, admin.key)).toEqual({
      success: true,
    });
    expect(await site('getGitConnection')).toMatchObject({ ...flags, allowAiCommit: true });
  });

  it('can be undone', async () => {
    await site('updateGitPermissions', { allowAiPush: true, publishOnPush: true });
    const { events } = await done(app, 'audit/getHistory', { kind: 'gitRepository', id: projectId });
    const { position } = events.find(({ type }: { type: string }) => type === 'GitPermissionsSet');
    await done(app, 'audit/undoChange', { position });
    expect(await site('getGitConnection')).toMatchObject({ ...flags, publishOnPush: false });
  });

  it('Q-S106 limits agents, each operation by its flag, but no persons', async () => {
    const key = await agentKey();
    await page('/a', 'a');
    const first = await commit();
    await page('/b', 'b');
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
      const [status, code, detail] = await refused(operation, body, key);
      expect([operation, status, code, detail]).toEqual([
        operation,
        403,
        'git-not-for-agents',
        expect.stringContaining(flag),
      ]);
    }
    await site('updateGitPermissions', {
      allowAiCommit: true,
      allowAiPull: true,
      allowAiPush: true,
      allowAiCreateBranch: true,
    });
    for (const [operation, body] of asked) {
      const { body: answer } = await app.call(`site/${operation}`, { projectId, ...body }, key);
      expect([operation, answer.code]).not.toEqual([operation, 'git-not-for-agents']);
    }
  });
});
