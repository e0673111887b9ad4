// Engines: one process, and several.
// Second tier.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { IdempotencyStore } from '../../../src/engine/pipeline/idempotency-store.js';
import type { TestApp } from '../../support/app.js';
import { agentWith } from '../../support/automations/agents.js';
import { GitServer } from '../../support/git/git-server.js';
import { RealGit } from '../../support/git/real-git.js';
import { done, eventsOf, keyOf } from '../../support/people.js';

let app: TestApp;
let projectId: string;
let name: string;
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
  name = `shop-${number++}`;
  projectId = await newProject();
});
afterEach(() => {
  jest.restoreAllMocks();
  host.instead = () => false;
});

/** A project that has a token for the host, and no repository. */
async function newProject(): Promise<string> {
  const { id } = await done(app, 'site/createProject', { name: 'Shop' });
  await done(app, 'site/connectGitHost', { projectId: id, token: host.token });
  return id;
}

/** The two operations that make a repository, with the answer to a call that made it. */
const ways = [
  ['gitCreateRepo', () => ({ name }), () => ({ fullName: `ada/${name}`, private: true })],
  ['connectGitHost', () => ({ createNew: true, newRepoName: name }), () => ({ connected: true, repoName: name })],
] as const;
const send = (operation: string, body: object, key?: string) =>
  app.call(
    `site/${operation}`,
    { projectId, ...body },
    undefined,
    key === undefined ? {} : { 'idempotency-key': `${key} ${name}` },
  );
const codeOf = async (reply: ReturnType<TestApp['call']>) => {
  const { status, body } = await reply;
  return [status, body.code];
};

describe.each(ways)('%s repeated with its idempotency key', (operation, bodyOf, answer) => {
  it('takes the repository that it made when the answer of the host was lost', async () => {
    host.loseNextCreation();
    const lost = await send(operation, bodyOf(), 'once');
    expect([lost.status, lost.body.code]).toEqual([503, 'git-host-unavailable']);
    expect(lost.body.detail).toContain(`Whether the host created the repository ${name} is unknown.`);
    const { status, body } = await send(operation, bodyOf(), 'once');
    expect([status, body]).toEqual([200, expect.objectContaining(answer())]);
  });

  it('takes the repository that it made when its own answer was lost', async () => {
    const settle = jest
      .spyOn(app.app.get(IdempotencyStore, { strict: false }), 'settle')
      .mockRejectedValueOnce(new Error('The process was killed.'));
    expect((await send(operation, bodyOf(), 'once')).status).toBe(500);
    settle.mockRestore();
    const { status, body } = await send(operation, bodyOf(), 'once');
    expect([status, body]).toEqual([200, expect.objectContaining(answer())]);
  });

  it('does not take a repository that existed before', async () => {
    host.create(name);
    for (let n = 0; n < 2; n++)
      expect(await codeOf(send(operation, bodyOf(), 'once'))).toEqual([409, 'git-host-refused']);
  });

  it('does not take a repository that another call made, with another key or none', async () => {
    for (const key of ['first', undefined]) {
      host.loseNextCreation();
      expect((await send(operation, bodyOf(), key)).status).toBe(503);
      for (const other of ['second', undefined])
        expect(await codeOf(send(operation, bodyOf(), other))).toEqual([409, 'git-host-refused']);
      name = `shop-${number++}`;
    }
  });
});

describe('a repository that was made and could not be connected', () => {
  const body = () => ({ createNew: true, newRepoName: name });
  const refuseGit = () => {
    host.instead = (request, response) => Boolean(request.url?.startsWith('/ada/') && response.writeHead(403).end());
  };
  const refusedOnce = async () => {
    refuseGit();
    await send('connectGitHost', body(), 'once');
    host.instead = () => false;
  };
  /** Nothing is stored under the key, as after some days. */
  const refusedLongAgo = async () => {
    const receipts = app.app.get(IdempotencyStore, { strict: false });
    jest.spyOn(receipts, 'release').mockImplementationOnce((key) => receipts.forget(key));
    await refusedOnce();
  };

  it('is connected by the repetition, once', async () => {
    refuseGit();
    const refused = await send('connectGitHost', body(), 'once');
    expect([refused.status, refused.body.code]).toEqual([409, 'git-host-refused']);
    expect(refused.body.detail).toContain(`The host created the repository ${name}, but it is not connected.`);
    host.instead = () => false;
    const { status, body: connected } = await send('connectGitHost', body(), 'once');
    expect([status, connected]).toEqual([200, expect.objectContaining({ connected: true, repoName: name })]);
    expect((await send('connectGitHost', body(), 'once')).body).toMatchObject({ connected: true, repoName: name });
    const events = await eventsOf(app, { types: ['GitHostConnected'] });
    expect(events.filter(({ stream }) => stream.endsWith(projectId))).toHaveLength(2);
  });

  it('keeps the key for the repetition', async () => {
    await refusedOnce();
    const other = { createNew: true, newRepoName: `${name}-again` };
    expect(await codeOf(send('connectGitHost', other, 'once'))).toEqual([409, 'idempotency-key-reused']);
    expect(await codeOf(send('connectGitHost', body(), 'once'))).toEqual([200, undefined]);
  });

  it('is not taken by another project that uses the key again', async () => {
    await refusedLongAgo();
    projectId = await newProject();
    expect(await codeOf(send('connectGitHost', body(), 'once'))).toEqual([409, 'git-host-refused']);
  });

  it('is not taken by a call for one that everybody may read', async () => {
    await refusedLongAgo();
    const input = { name, isPrivate: false };
    expect(await codeOf(send('gitCreateRepo', input, 'once'))).toEqual([409, 'git-host-refused']);
  });

  it('is named, with the ways to connect it that the call has', async () => {
    refuseGit();
    const made = () => `The host created the repository ${name}, but it is not connected.`;
    const connect = 'onnect the repository with repoOwner and repoName.';
    const repeatable = await send('connectGitHost', body(), 'once');
    const advice = `Repeat the call with the same Idempotency-Key, or c${connect}`;
    expect(repeatable.body.detail).toMatch(new RegExp(`${made()} ${advice}$`));
    name = `shop-${number++}`;
    const single = await send('connectGitHost', body());
    expect(single.body.detail).toMatch(new RegExp(`${made()} C${connect}$`));
    name = `shop-${number++}`;
    host.loseNextCreation();
    const lost = await send('connectGitHost', body());
    expect(lost.body.detail).toMatch(new RegExp(`the repository ${name} is unknown. If it did, c${connect}$`));
  });

  it('is not to be connected by a repetition of a call that was approved', async () => {
    await done(app, 'site/updateGitPermissions', { projectId, allowAiCommit: true });
    const { id: agentId } = await agentWith(app, { asks: 'changes' });
    const key = await keyOf(app, { kind: 'agent', agentId });
    const headers = { 'idempotency-key': `once ${name}` };
    const asked = await app.call('site/connectGitHost', { projectId, ...body() }, key, headers);
    const { id, hash } = asked.body.pendingChange;
    refuseGit();
    const { status, body: answer } = await app.call('approvals/approvePendingChange', { id, hash });
    expect([status, answer.detail]).toEqual([409, expect.stringContaining('connected. Connect the repository with')]);
  });
});
