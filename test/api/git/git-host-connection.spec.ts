// Engines: one process, and several.
// Second tier.
import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { refuse } from '../../../src/areas/sites/sites.refusals.js';
import { Pipeline } from '../../../src/engine/pipeline/pipeline.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
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
const push = (clone: string, message = 'Pushed') => {
  const sha = real.commit(clone, message);
  real.run(clone, ['push', '-q', 'origin', 'HEAD']);
  return sha;
};

describe('connectGitHost', () => {
  it('SN-02 connects to an existing repository of the host, to a new one, and to any by its address', async () => {
    host.create('one');
    const { webhook, ...one } = await connect({ repoOwner: host.owner, repoName: 'one' });
    expect(one).toMatchObject({ connected: true, repoOwner: 'ada', repoName: 'one', branch: 'main' });
    expect(webhook).toEqual({
      url: expect.stringMatching(new RegExp(`^http.*/api/app/${projectId}/source-control/push/[\\w-]{20,}$`)),
      secret: expect.stringMatching(/^[\w-]{20,}$/),
    });
    expect(await connect({ createNew: true, newRepoName: 'made' })).toMatchObject({
      repoName: 'made',
      connected: true,
    });
    const { url } = host.create('byaddress');
    expect(await connect({ remoteUrl: url })).toMatchObject({ connected: true, repoName: null, remoteUrl: url });
    expect(await site('getGitConnection')).toMatchObject({ connected: true, remoteUrl: url, hasToken: true });
  });

  it('stores a token before there is a repository, so that accessible ones can be listed', async () => {
    expect(await refused('listGitHostRepos')).toEqual([409, 'git-token-missing', expect.anything()]);
    expect(await connect({})).toMatchObject({ connected: false, webhook: null });
    host.create('listed', { isPrivate: false });
    const list = await site('listGitHostRepos');
    expect(list).toContainEqual({
      ...{ fullName: 'ada/listed', name: 'listed', owner: 'ada', private: false, defaultBranch: 'main' },
    });
    expect(await git('CreateRepo', { name: 'created' })).toMatchObject({ fullName: 'ada/created', private: true });
    expect(await refused('gitCreateRepo', { name: 'created' })).toEqual([409, 'git-host-refused', expect.anything()]);
    expect(await site('connectGitHost', { repoOwner: 'ada', repoName: 'created' })).toMatchObject({ connected: true });
  });

  it('SA-04 the list of repositories is closed to read-only keys', async () => {
    await connect({});
    const readOnly = await keyOf(app, {
      kind: 'connection',
      readOnly: true,
      memberId: (await person(app, 'editor')).id,
    });
    expect(await refused('listGitHostRepos', {}, readOnly)).toEqual([403, 'read-only-key', expect.anything()]);
  });

  it.each([
    ['a wrong token', { repoOwner: 'ada', repoName: 'one', token: 'wrong' }, 409, 'git-host-refused'],
    ['a repository that is not there', { repoOwner: 'ada', repoName: 'none' }, 409, 'git-host-refused'],
    ['plain http', { remoteUrl: 'http://git.test/ada/one.git' }, 400, 'invalid-input'],
    ['a password in the address', { remoteUrl: 'https://me:pass@git.test/ada/one.git' }, 400, 'invalid-input'],
    ['a private address', { remoteUrl: 'https://10.0.0.1/ada/one.git' }, 409, 'git-host-refused'],
    ['the metadata of a cloud', { remoteUrl: 'https://169.254.169.254/latest' }, 409, 'git-host-refused'],
    ['a file', { remoteUrl: 'file:///etc' }, 400, 'invalid-input'],
    ['a name without its owner', { repoName: 'one' }, 400, 'invalid-input'],
    [
      'two repositories at once',
      { createNew: true, newRepoName: 'b', remoteUrl: 'https://git.test/a' },
      400,
      'invalid-input',
    ],
  ])('refuses %s, and records nothing', async (_, body, status, code) => {
    expect((await refused('connectGitHost', { token: host.token, ...body })).slice(0, 2)).toEqual([status, code]);
    expect(await site('getGitConnection')).toMatchObject({ connected: false, hasToken: false });
  });

  it('does not send a token to another host than it was given for', async () => {
    const { url } = host.create('kept');
    await connect({ remoteUrl: url });
    const other = url.replace('git.test', 'other.test');
    const before = host.seen.length;
    // The certificate does not name this host, so the connection ends before a request is sent.
    expect((await refused('connectGitHost', { remoteUrl: other }))[1]).toBe('git-host-unavailable');
    expect(host.seen.slice(before)).toEqual([]);
    expect(await refused('gitCreateRepo', { name: 'x' })).toEqual([409, 'git-token-missing', expect.anything()]);
  });

  it('refuses a token alone while connected by URL, and sends it nowhere', async () => {
    const { url } = host.create('byurl');
    await connect({ remoteUrl: url });
    const before = await site('getGitConnection');
    expect(await refused('connectGitHost', { token: 'ghp_other' })).toEqual([
      400,
      'git-token-alone',
      expect.stringMatching(/remoteUrl.*disconnectGitHost/),
    ]);
    expect(await site('getGitConnection')).toEqual(before);
    await git('Commit', { message: 'First' });
    await git('Push');
    expect(await connect({ remoteUrl: url })).toMatchObject({ connected: true, remoteUrl: url });
    await site('disconnectGitHost');
    expect(await connect({})).toMatchObject({ connected: false });
    expect(await site('listGitHostRepos')).toContainEqual(expect.objectContaining({ name: 'byurl' }));
  });

  it('accepts another token alone for the repository of the host that it is connected to', async () => {
    host.create('renewed');
    await connect({ repoOwner: host.owner, repoName: 'renewed' });
    expect(await connect({})).toMatchObject({ connected: true, repoName: 'renewed' });
  });

  it('leaves no setting of the host behind when it is disconnected, so that only an Admin has pushes publish', async () => {
    await connect({});
    await site('updateGitPermissions', { publishOnPush: true, allowAiPull: true });
    await site('disconnectGitHost');
    expect(await site('getGitConnection')).toMatchObject({ publishOnPush: false, allowAiPull: true });
    await site('updateGitPermissions', { publishOnPush: true });
    await site('disconnectGitHost');
    expect((await site('getGitConnection')).publishOnPush).toBe(false);
    const editor = await person(app, 'editor');
    host.create('next');
    await site('connectGitHost', { token: host.token, repoOwner: host.owner, repoName: 'next' }, editor.key);
    expect(await site('getGitConnection')).toMatchObject({ connected: true, publishOnPush: false });
    const { events } = await done(app, 'audit/getHistory', { kind: 'gitRepository', id: projectId });
    expect(JSON.stringify(events)).toContain('pushes publish it no longer');
  });

  it('keeps the token out of every answer, event and refusal', async () => {
    const { url } = host.create('secret');
    await connect({ remoteUrl: url });
    await refused('gitPull');
    const { events } = await done(app, 'audit/getHistory', { kind: 'gitRepository', id: projectId });
    const connection = await site('getGitConnection');
    const state = await done(app, 'audit/getStateAt', {
      kind: 'gitRepository',
      id: projectId,
      position: events[0].position,
    });
    expect(state.state ?? state).toBeTruthy();
    const log = await app.app.get(EventStore, { strict: false }).readAll({ from: 0, limit: 10_000 });
    expect(JSON.stringify([events, connection, state, log])).not.toContain(host.token);
    await site('disconnectGitHost');
    expect(await site('getGitConnection')).toMatchObject({ connected: false, hasToken: false, remoteUrl: null });
    expect(await refused('gitPush')).toEqual([409, 'git-not-connected', expect.anything()]);
  });
});

describe('a push webhook', () => {
  const signed = (secret: string, body: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const isPublished = async () =>
    (await site('getPublishStatus')) !== null || (await site('listDeployments')).length > 0;
  const deliver = (webhook: { url: string; secret: string }, ref = 'refs/heads/main', headers = {}) => {
    const body = JSON.stringify({ ref, repository: { full_name: 'ada/one' } });
    return app.send('POST', new URL(webhook.url).pathname, body, {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-hub-signature-256': signed(webhook.secret, body),
      ...headers,
    });
  };

  it('pulls, and publishes if that is on', async () => {
    const { clone, webhook } = await connected({ '/a': 'export default () => <p>a</p>;' });
    real.write(clone, { 'pages/a.tsx': 'export default () => <p>pushed</p>;' });
    push(clone);
    expect(await deliver(webhook)).toMatchObject({ status: 200, body: { received: true } });
    expect((await rows())['/a']).toContain('pushed');
    expect(await site('listDeployments')).toEqual([]);
    await site('updateGitPermissions', { publishOnPush: true });
    real.write(clone, { 'pages/a.tsx': 'export default () => <p>again</p>;' });
    push(clone);
    expect((await deliver(webhook)).status).toBe(200);
    expect((await site('getPublishStatus'))?.stage).not.toBe('failed');
    expect(await isPublished()).toBe(true);
  });

  /** Connects the project, and delivers a push that is pulled, but whose publish is refused. */
  async function unpublished() {
    const { name, clone, webhook } = await connected({ '/a': 'export default () => <p>a</p>;' });
    await site('updateGitPermissions', { publishOnPush: true });
    real.write(clone, { 'pages/a.tsx': 'export default () => <p>pushed</p>;' });
    push(clone);
    const pipeline = app.app.get(Pipeline, { strict: false });
    const within = pipeline.within.bind(pipeline);
    const failures = [() => refuse('site-not-published')];
    const spy = jest.spyOn(pipeline, 'within').mockImplementation(async (operation, ...sent) => {
      if (operation.name === 'site/publish') failures.shift()?.();
      return await within(operation, ...sent);
    });
    expect((await deliver(webhook)).status).toBe(409);
    spy.mockRestore();
    expect((await rows())['/a']).toContain('pushed');
    expect(await isPublished()).toBe(false);
    return { name, webhook };
  }
  const lastError = async (): Promise<string | null> => (await site('getGitConnection')).lastError;

  it('delivered again, publishes a push whose publish was refused', async () => {
    const { webhook } = await unpublished();
    expect(await lastError()).toMatch(/^The push was pulled, but .* nothing to unpublish/);
    expect((await deliver(webhook)).status).toBe(200);
    expect([await isPublished(), await lastError()]).toEqual([true, null]);
  });

  it('delivered again, publishes such a push also after deliveries that could not be pulled', async () => {
    const { webhook } = await unpublished();
    const first = await lastError();
    const refused: readonly [GitServer['instead'], RegExp][] = [
      [(request) => Boolean(request.socket.destroy()), /closed the connection/],
      [(_, response) => Boolean(response.writeHead(503).end()), /503/],
    ];
    for (const [instead, problem] of refused) {
      host.instead = instead;
      expect((await deliver(webhook)).status).toBe(503);
      const [due, ...later] = (await lastError())?.split(' A later delivery was refused: ') ?? [];
      expect([due, later]).toEqual([first, [expect.stringMatching(problem)]]);
    }
    host.instead = () => false;
    expect((await deliver(webhook)).status).toBe(200);
    expect([await isPublished(), await lastError()]).toEqual([true, null]);
  });

  it('delivered again, publishes such a push also after the same repository was connected again', async () => {
    const { name } = await unpublished();
    const first = await lastError();
    await connect({});
    const { webhook } = await connect({ repoOwner: host.owner, repoName: name });
    expect(await lastError()).toBe(first);
    expect((await deliver(webhook)).status).toBe(200);
    expect([await isPublished(), await lastError()]).toEqual([true, null]);
  });

  it('of another repository does not publish what was pulled from the former one', async () => {
    await unpublished();
    const { folder } = host.create(`repo-${number++}`);
    const { webhook } = await connect({ repoOwner: host.owner, repoName: folder.split('/').at(-1)?.slice(0, -4) });
    expect(await lastError()).toBeNull();
    await git('Push');
    expect((await deliver(webhook)).status).toBe(200);
    expect(await isPublished()).toBe(false);
  });

  it('of what was pulled by hand after a refused delivery publishes nothing', async () => {
    const { clone, webhook } = await connected({ '/a': 'export default () => <p>a</p>;' });
    await site('updateGitPermissions', { publishOnPush: true });
    const id = await page('/b', 'uncommitted');
    real.write(clone, { 'pages/a.tsx': 'export default () => <p>pushed</p>;' });
    push(clone);
    expect((await deliver(webhook)).status).toBe(409);
    await done(app, 'site/deletePage', { id });
    await site('gitPull');
    expect((await deliver(webhook)).status).toBe(200);
    expect([await isPublished(), (await site('getGitConnection')).lastError]).toEqual([false, null]);
  });

  it('must be signed, at its address, and about the present branch', async () => {
    const { clone, webhook, sha } = await connected({ '/a': 'a' });
    real.write(clone, { 'pages/a.tsx': 'pushed' });
    push(clone);
    const wrong = { 'x-hub-signature-256': signed('wrong', '{}') };
    expect(await deliver(webhook, 'refs/heads/main', wrong)).toMatchObject({
      status: 400,
      body: { code: 'git-push-not-verified' },
    });
    expect(await deliver({ ...webhook, url: `${webhook.url}x` })).toMatchObject({ status: 404 });
    expect((await deliver(webhook, 'refs/heads/other')).status).toBe(200);
    expect((await deliver(webhook, 'refs/heads/main', { 'x-github-event': 'ping' })).status).toBe(200);
    expect((await site('getGitConnection')).lastCommitSha).toBe(sha);
    await site('disconnectGitHost');
    expect((await deliver(webhook)).status).toBe(404);
  });

  it('records what it could not pull, and that it can again', async () => {
    const { clone, webhook } = await connected({ '/a': 'a' });
    const id = await page('/b', 'uncommitted');
    real.write(clone, { 'pages/a.tsx': 'pushed' });
    push(clone);
    expect(await deliver(webhook)).toMatchObject({ status: 409, body: { code: 'git-uncommitted' } });
    expect((await site('getGitConnection')).lastError).toContain('pages/b.tsx');
    await done(app, 'site/deletePage', { id });
    expect((await deliver(webhook)).status).toBe(200);
    expect((await site('getGitConnection')).lastError).toBeNull();
  });

  it('works with the present rights of the key that connected it', async () => {
    const { name, clone } = await connected({ '/a': 'a' });
    const editor = await person(app, 'editor');
    const { webhook } = await site(
      'connectGitHost',
      { token: host.token, repoOwner: 'ada', repoName: name },
      editor.key,
    );
    await done(app, 'workspace/updateMember', { id: editor.id, role: 'viewer' });
    real.write(clone, { 'pages/a.tsx': 'pushed' });
    push(clone);
    expect((await deliver(webhook)).status).toBe(403);
    await done(app, 'workspace/removeMember', { id: editor.id });
    expect(await deliver(webhook)).toMatchObject({ status: 403 });
    expect((await rows())['/a']).toBe('a');
  });
});
