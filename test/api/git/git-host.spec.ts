// Engines: one process, and several.
// Second tier.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { IdempotencyStore } from '../../../src/engine/pipeline/idempotency-store.js';
import type { TestApp } from '../../support/app.js';
import { GitServer } from '../../support/git/git-server.js';
import { RealGit } from '../../support/git/real-git.js';
import { done, keyOf, person } from '../../support/people.js';

let app: TestApp;
let projectId: string;
let number = 0;
const real = new RealGit();
const host = new GitServer(real);
beforeAll(async () => {
  app = await host.startApp();
});
afterAll(async () => {
  await app.close();
  await host.close();
  real.remove();
});
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Shop' })).id;
});
afterEach(() => {
  host.instead = () => false;
});

const site = (operation: string, body: object = {}, key?: string) =>
  done(app, `site/${operation}`, { projectId, ...body }, key);
const git = (operation: string, body: object = {}) => site(`git${operation}`, body);
const refused = async (operation: string, body: object = {}, key?: string) => {
  const { status, body: answer } = await app.call(`site/${operation}`, { projectId, ...body }, key);
  return [status, answer.code, answer.detail];
};
const connect = (body: object) => site('connectGitHost', { token: host.token, ...body });
const page = async (path: string, content: string, more: object = {}) =>
  (await site('createPage', { name: 'Page', path, content, ...more })).id as string;
const change = (id: string, body: object) => done(app, 'site/updatePage', { id, ...body });
const rows = async () =>
  Object.fromEntries(
    await Promise.all(
      (await site('listPages')).map(async ({ id, path }: { id: string; path: string }) => [
        path,
        (await done(app, 'site/getPage', { id })).content,
      ]),
    ),
  );

/** Connects the project to a new repository and pushes to it. Returns the repository with a clone. */
async function connected(files: Readonly<Record<string, string>> = {}) {
  const name = `repo-${number++}`;
  const { url, folder } = host.create(name);
  for (const [path, content] of Object.entries(files)) await page(path, content);
  const { webhook } = await connect({ repoOwner: host.owner, repoName: name });
  await git('Commit', { message: 'First' });
  const { sha } = await git('Push');
  const clone = `clone-${name}`;
  real.run('.', ['clone', '-q', `${real.home}/${folder}`, clone]);
  return { name, url, folder, clone, sha, webhook };
}
/** Connects the project, and pushes the page `/a` with its settings. */
async function titled() {
  const { clone } = await connected();
  const id = await page('/a', 'line one\nline two\n', { title: 'A', description: 'About' });
  await git('Commit', { message: 'Titles' });
  await git('Push');
  real.run(clone, ['pull', '-q']);
  return { clone, id };
}
const setEntry = (clone: string, path: string, entry: object, more: object = {}) => {
  const settings = JSON.parse(real.run(clone, ['show', 'HEAD:site.json']).toString());
  settings.pages[path] = entry;
  real.write(clone, { 'site.json': JSON.stringify({ ...settings, ...more }) });
};
const push = (clone: string, message = 'Pushed') => {
  const sha = real.commit(clone, message);
  real.run(clone, ['push', '-q', 'origin', 'HEAD']);
  return sha;
};

describe('gitPush and gitPull', () => {
  it('transfer everything to a clone and back, byte for byte, ten times', async () => {
    const { clone } = await connected({ '/a': 'a ü\r\n' });
    for (let n = 1; n <= 10; n++) {
      real.run(clone, ['pull', '-q']);
      real.write(clone, {
        'pages/a.tsx': `git ${n}\r\n\tü\u2028`,
        [`pages/n${n}.tsx`]: `made ${n}`,
        'README.md': `${n}`,
      });
      const sha = push(clone);
      expect(await git('Pull')).toEqual({ sha, changed: ['README.md', 'pages/a.tsx', `pages/n${n}.tsx`] });
      expect((await rows())['/a']).toBe(`git ${n}\r\n\tü\u2028`);
      expect((await git('Status')).changed).toEqual([]);
      await page(`/api${n}`, `api ${n}`);
      await git('Commit', { message: `Ours ${n}` });
      await git('Push');
    }
    real.run(clone, ['pull', '-q']);
    real.run(clone, ['fsck', '--full', '--strict']);
    expect(real.text(clone, 'show', 'HEAD:README.md')).toBe('10');
    expect(real.text(clone, 'ls-files', 'pages').split('\n')).toHaveLength(22);
    expect(await git('Status')).toEqual({ branch: 'main', ahead: 0, behind: 0, changed: [] });
  });

  it('a pull combines separate changes, and names common ones', async () => {
    const { clone } = await connected({ '/a': 'a', '/b': 'b' });
    const { id } = (await site('listPages')).find((one: { path: string }) => one.path === '/a');
    real.write(clone, { 'pages/b.tsx': 'theirs' });
    push(clone);
    await change(id, { content: 'ours' });
    expect(await refused('gitPull')).toEqual([409, 'git-uncommitted', expect.stringContaining('pages/a.tsx')]);
    await git('Commit', { message: 'Ours' });
    expect(await refused('gitPush')).toEqual([409, 'git-remote-ahead', expect.anything()]);
    expect((await git('Pull')).changed).toEqual(['pages/b.tsx']);
    expect(await rows()).toMatchObject({ '/a': 'ours', '/b': 'theirs' });
    expect(await git('Status')).toMatchObject({ ahead: 2, behind: 0 });
    await git('Push');
    real.run(clone, ['pull', '-q']);
    real.write(clone, { 'pages/a.tsx': 'theirs again' });
    push(clone);
    await change(id, { content: 'ours again' });
    const { sha } = await git('Commit', { message: 'Ours again' });
    expect(await git('Pull')).toEqual({ sha, changed: [], conflicts: ['pages/a.tsx'] });
    expect((await rows())['/a']).toBe('ours again');
  });

  it('a pull is refused if the site switches to another branch while the host answers', async () => {
    const { clone } = await connected({ '/a': 'a' });
    await git('CreateBranch', { name: 'next' });
    real.write(clone, { 'pages/a.tsx': 'theirs' });
    push(clone);
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    host.instead = async () => {
      held.resolve();
      await released.promise;
      return false;
    };
    const late = refused('gitPull');
    await held.promise;
    await git('SwitchBranch', { name: 'next' });
    await page('/b', 'b');
    const { sha } = await git('Commit', { message: 'On next' });
    released.resolve();
    expect((await late)[1]).toBe('too-much-contention');
    expect((await git('ListCommits', { limit: 1 })).commits[0].sha).toBe(sha);
    expect((await git('ListBranches')).current).toBe('next');
  });

  it('repeated after a fault, have one effect and one answer', async () => {
    const { clone, folder } = await connected({ '/a': 'a' });
    const receipts = app.app.get(IdempotencyStore, { strict: false });
    const send = (operation: string) =>
      app.call(`site/${operation}`, { projectId }, undefined, { 'idempotency-key': `${operation} of ${projectId}` });
    const interrupted = async (operation: string) => {
      const settle = jest.spyOn(receipts, 'settle').mockRejectedValueOnce(new Error('The process was killed.'));
      expect((await send(operation)).status).toBe(500);
      settle.mockRestore();
    };
    real.write(clone, { 'pages/a.tsx': 'theirs' });
    const pulled = push(clone);
    await interrupted('gitPull');
    await page('/b', 'b');
    const { sha: pushed } = await git('Commit', { message: 'Ours' });
    expect((await send('gitPull')).body).toEqual({ sha: pulled, changed: ['pages/a.tsx'] });
    await interrupted('gitPush');
    await page('/c', 'c');
    await git('Commit', { message: 'Later' });
    expect((await send('gitPush')).body).toEqual({ sha: pushed });
    expect(real.text(folder, 'rev-parse', 'main')).toBe(pushed);
  });

  it('a page that git moved keeps its id and its rules; settings come from site.json', async () => {
    const { clone } = await connected({ '/a': 'line one\nline two\nline three\n' });
    const { id } = (await site('listPages')).find((one: { path: string }) => one.path === '/a');
    await done(app, 'site/setPageAccessRules', { pageId: id, accessRules: {} });
    real.run(clone, ['mv', 'pages/a.tsx', 'pages/moved.tsx']);
    real.write(clone, { 'pages/moved.tsx': 'line one\nline two\nline four\n' });
    push(clone);
    await git('Pull');
    expect(await done(app, 'site/getPage', { id })).toMatchObject({ path: '/moved', isProtected: true });
    expect((await done(app, 'site/getPageAccessRules', { pageId: id })).accessRules).toEqual({});
    setEntry(clone, '/moved', { title: 'Moved' }, { name: 'Renamed' });
    push(clone);
    await git('Pull');
    expect((await done(app, 'site/getPage', { id })).title).toBe('Moved');
    expect((await done(app, 'site/getProject', { id: projectId })).name).toBe('Renamed');
    expect((await git('Status')).changed).toEqual([]);
  });

  it.each([
    ['and gitCommit wrote its entry', true],
    ['and nobody committed since', false],
  ])('a pull resets a setting that git removed, also of a page that git moved, %s', async (_, commits) => {
    const { clone, id } = await titled();
    real.run(clone, ['mv', 'pages/a.tsx', 'pages/b.tsx']);
    push(clone);
    await git('Pull');
    expect(await done(app, 'site/getPage', { id })).toMatchObject({ path: '/b', title: 'A', description: 'About' });
    expect((await git('Status')).changed).toEqual([]);
    if (commits) {
      await git('Commit', { message: 'Settings of the moved page' });
      await git('Push');
      real.run(clone, ['pull', '-q']);
    }
    setEntry(clone, '/b', { title: 'B' });
    push(clone);
    await git('Pull');
    expect(await done(app, 'site/getPage', { id })).toMatchObject({ title: 'B', description: null });
    expect((await git('Status')).changed).toEqual([]);
  });

  it('a page that git moved has the settings of its former path until it has its own, also if it is moved again', async () => {
    const { clone, id } = await titled();
    const moved = async (from: string, to: string) => {
      real.run(clone, ['mv', `pages/${from}.tsx`, `pages/${to}.tsx`]);
      if (to === 'd') setEntry(clone, '/d', { title: 'D' });
      push(clone);
      await git('Pull');
      expect((await git('Status')).changed).toEqual([]);
      const { path, title, description } = await done(app, 'site/getPage', { id });
      return [path, title, description];
    };
    expect(await moved('a', 'b')).toEqual(['/b', 'A', 'About']);
    expect(await moved('b', 'c')).toEqual(['/c', 'A', 'About']);
    await change(id, { title: 'Uncommitted' });
    real.run(clone, ['rm', '-q', 'pages/c.tsx']);
    push(clone);
    expect(await refused('gitPull')).toEqual([409, 'git-uncommitted', expect.stringContaining('site.json')]);
    await change(id, { title: 'A' });
    real.run(clone, ['revert', '--no-edit', 'HEAD']);
    expect(await moved('c', 'd')).toEqual(['/d', 'D', null]);
  });

  it('a pull leaves settings that were never in git as they are, and stops before it replaces them', async () => {
    const [home] = await site('listPages');
    const { content } = await done(app, 'site/getPage', { id: home.id });
    await change(home.id, { title: 'Home' });
    const { folder } = host.create('byhand');
    real.run('.', ['clone', '-q', `${real.home}/${folder}`, 'byhand']);
    real.write('byhand', { 'pages/index.tsx': content });
    push('byhand');
    await connect({ repoOwner: host.owner, repoName: 'byhand' });
    await git('Pull');
    real.write('byhand', { 'pages/a.tsx': 'a' });
    push('byhand');
    await git('Pull');
    expect((await done(app, 'site/getPage', { id: home.id })).title).toBe('Home');
    expect(await git('Status')).toMatchObject({ behind: 0, changed: ['site.json'] });
    real.write('byhand', { 'site.json': JSON.stringify({ pages: { '/': { title: 'Theirs' } } }) });
    push('byhand');
    expect(await refused('gitPull')).toEqual([409, 'git-uncommitted', expect.stringContaining('site.json')]);
    await git('SwitchBranch', { name: 'main', discardLocalChanges: true });
    await git('Pull');
    expect((await done(app, 'site/getPage', { id: home.id })).title).toBe('Theirs');
    expect((await git('Status')).changed).toEqual([]);
  });

  it('a home page that git moved loses its mark, so that the next commit can be pulled onto', async () => {
    const { clone } = await connected();
    real.run(clone, ['mv', 'pages/index.tsx', 'pages/home.tsx']);
    push(clone);
    await git('Pull');
    const [home] = await site('listPages');
    expect(await done(app, 'site/getPage', { id: home.id })).toMatchObject({ path: '/home', isHomePage: false });
    await git('Commit', { message: 'Settings of the moved page' });
    await git('Push');
    real.run(clone, ['pull', '-q']);
    real.write(clone, { 'README.md': 'later' });
    push(clone);
    expect((await git('Pull')).changed).toEqual(['README.md']);
  });

  it('a page that replaces one with rules is closed until somebody opens it', async () => {
    const { clone } = await connected();
    await page('/admin', 'the old page\n', { isProtected: true });
    await git('Commit', { message: 'Admin' });
    await git('Push');
    real.run(clone, ['pull', '-q']);
    real.run(clone, ['rm', '-q', 'pages/admin.tsx']);
    real.write(clone, { 'pages/office.tsx': 'something else entirely\n' });
    push(clone);
    await git('Pull');
    const made = (await site('listPages')).find((one: { path: string }) => one.path === '/office');
    expect((await done(app, 'site/getPageAccessRules', { pageId: made.id })).accessRules).toEqual({});
  });

  it.each<readonly [string, RegExp, Readonly<Record<string, string | Uint8Array>>]>([
    ['rules in site.json', /isProtected is not a setting/, { 'site.json': '{"pages":{"/":{"isProtected":false}}}' }],
    ['a broken site.json', /not valid JSON/, { 'site.json': '{' }],
    ['a refused package', /pinned/, { 'site.json': '{"dependencies":{"react":"1.0.0"}}' }],
    ['a page that is not UTF-8', /not valid UTF-8/, { 'pages/x.tsx': Buffer.from([0xff, 0xfe]) }],
    ['a page that is too large', /larger than 2 MB/, { 'pages/x.tsx': 'x'.repeat(2 * 1024 * 1024 + 1) }],
    ['a page with no path', /must consist of segments/, { 'pages/ü.tsx': 'x' }],
    ['a template with no slug', /kebab-case/, { 'emails/Not A Slug.html': 'x' }],
    ['a component in a folder', /must not be in subfolders/, { 'components/ui/Button.tsx': 'x' }],
    ['a text that no store keeps', /pages\/x\.tsx/, { 'pages/x.tsx': 'a\0b' }],
  ])('a pull refuses %s as a whole', async (_, message, files) => {
    const { clone, sha } = await connected({ '/a': 'a' });
    real.write(clone, { 'pages/a.tsx': 'changed', ...files });
    push(clone);
    expect(await refused('gitPull')).toEqual([409, 'git-refused', expect.stringMatching(message)]);
    expect((await rows())['/a']).toBe('a');
    expect((await site('getGitConnection')).lastCommitSha).toBe(sha);
  });

  it('a pull refuses links and submodules, and reads nothing of the machine', async () => {
    const { clone } = await connected();
    real.run(clone, ['config', 'core.symlinks', 'true']);
    const blob = real.run(clone, ['hash-object', '-w', '--stdin'], { input: Buffer.from('/etc/passwd') });
    real.run(clone, ['update-index', '--add', '--cacheinfo', `120000,${blob.toString().trim()},pages/x.tsx`]);
    real.run(clone, ['commit', '-q', '-m', 'Link']);
    real.run(clone, ['push', '-q']);
    expect(await refused('gitPull')).toEqual([409, 'git-refused', expect.stringContaining('symbolic link')]);
  });

  it('unrelated histories are refused, and accepted by a switch that discards', async () => {
    const { folder } = host.create('stranger');
    real.run('.', ['clone', '-q', `${real.home}/${folder}`, 'stranger']);
    real.write('stranger', { 'pages/index.tsx': 'theirs' });
    push('stranger');
    await connect({ repoOwner: host.owner, repoName: 'stranger' });
    await git('Commit', { message: 'Ours' });
    expect(await refused('gitPull')).toEqual([409, 'git-unrelated', expect.anything()]);
    const other = (await done(app, 'site/createProject', { name: 'Other' })).id;
    await done(app, 'site/connectGitHost', {
      projectId: other,
      token: host.token,
      repoOwner: 'ada',
      repoName: 'stranger',
    });
    const body = { projectId: other, name: 'main', discardLocalChanges: true };
    expect(await done(app, 'site/gitSwitchBranch', body)).toEqual({ branch: 'main', snapshotId: expect.any(String) });
    const [home] = await done(app, 'site/listPages', { projectId: other });
    expect((await done(app, 'site/getPage', { id: home.id })).content).toBe('theirs');
    expect((await done(app, 'site/gitStatus', { projectId: other })).changed).toEqual([]);
  });

  it('a pull that deletes is refused to keys that never delete', async () => {
    const { clone } = await connected({ '/a': 'a' });
    real.run(clone, ['rm', '-q', 'pages/a.tsx']);
    push(clone);
    const never = await keyOf(app, {
      kind: 'connection',
      neverDeletes: true,
      memberId: (await person(app, 'editor')).id,
    });
    expect(await refused('gitPull', {}, never)).toEqual([403, 'key-never-deletes', expect.anything()]);
    expect(Object.keys(await rows())).toContain('/a');
  });

  it('an agent that asks first does not pull deletions', async () => {
    const { clone } = await connected({ '/a': 'a' });
    await site('updateGitPermissions', { allowAiPull: true });
    const { id: agentId } = await done(app, 'workspace/addAgent', { name: 'Robot' });
    const key = await keyOf(app, { kind: 'agent', agentId });
    real.write(clone, { 'pages/a.tsx': 'b' });
    const sha = push(clone);
    expect(await site('gitPull', {}, key)).toMatchObject({ sha });
    real.run(clone, ['rm', '-q', 'pages/a.tsx']);
    push(clone);
    expect(await refused('gitPull', {}, key)).toEqual([403, 'git-deletes-unasked', expect.anything()]);
    expect(Object.keys(await rows())).toContain('/a');
  });

  it.each<readonly [string, string, GitServer['instead']]>([
    ['is away', 'git-host-unavailable', (_, response) => Boolean(response.writeHead(503).end())],
    ['breaks off', 'git-host-unavailable', (request) => Boolean(request.socket.destroy())],
    [
      'shows a page',
      'git-host-unavailable',
      (_, response) => Boolean(response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')),
    ],
    ['refuses the token', 'git-host-refused', (_, response) => Boolean(response.writeHead(403).end())],
    [
      'leads elsewhere',
      'git-host-refused',
      (_, response) => Boolean(response.writeHead(302, { location: 'https://10.0.0.1/' }).end()),
    ],
    [
      'leads to another name',
      'git-host-unavailable',
      (request, response) =>
        Boolean(response.writeHead(301, { location: `https://evil.test:${request.socket.localPort}/x` }).end()),
    ],
  ])('a host that %s changes nothing, and the refusal says what to do', async (_, code, instead) => {
    const advice = code === 'git-host-refused' ? 'with connectGitHost.' : 'Repeat the call later.';
    const { sha } = await connected({ '/a': 'a' });
    host.instead = instead;
    for (const operation of ['gitPull', 'gitPush']) {
      expect((await refused(operation)).slice(1)).toEqual([code, expect.stringContaining('Nothing was changed.')]);
      expect((await refused(operation))[2]).toContain(advice);
    }
    host.instead = () => false;
    expect((await site('getGitConnection')).lastCommitSha).toBe(sha);
  });
});
