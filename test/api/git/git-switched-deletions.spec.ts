// Engines: one process, and several.
// Second tier.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { GitServer } from '../../support/git/git-server.js';
import { GitSite } from '../../support/git/git-site.js';
import { RealGit } from '../../support/git/real-git.js';
import { done, keyOf, person } from '../../support/people.js';

let app: TestApp;
let shop: GitSite;
let agent: string;
const real = new RealGit();
const host = new GitServer(real);
beforeAll(async () => {
  app = await host.startApp();
  const { id: agentId } = await done(app, 'workspace/addAgent', { name: 'Robot' });
  agent = await keyOf(app, { kind: 'agent', agentId });
});
afterAll(async () => {
  await app.close();
  await host.close();
  real.remove();
});
/** The present branch is `main`. Its page `/b` is missing in `next`. */
beforeEach(async () => {
  shop = await GitSite.of(app);
  await shop.site('updateGitPermissions', { allowAiCommit: true });
  await shop.commit();
  await shop.git('CreateBranch', { name: 'next' });
  await shop.page('/b', 'b');
  await shop.commit();
});

const switched = (name: string, key: string) =>
  app.call('site/gitSwitchBranch', { projectId: shop.projectId, name }, key);
const present = async () => [(await shop.git('ListBranches')).current, await shop.paths()];

describe('a switch to a branch without a page', () => {
  it('by an agent that asks first waits for a person, and then deletes the page', async () => {
    const waiting = await switched('next', agent);
    expect([waiting.status, waiting.body.detail]).toEqual([202, undefined]);
    expect(waiting.body.pendingChange).toMatchObject({ kind: 'site/gitSwitchBranch', status: 'pending' });
    expect(await present()).toEqual(['main', ['/', '/b']]);
    await approved(app, waiting);
    expect(await present()).toEqual(['next', ['/']]);
  });

  it('back to a branch that has more pages needs no approval', async () => {
    await shop.git('SwitchBranch', { name: 'next' });
    expect(await switched('main', agent)).toMatchObject({ status: 200, body: { branch: 'main' } });
    expect(await present()).toEqual(['main', ['/', '/b']]);
  });

  it('that only the host has is refused to an agent that asks first, because no card can show its deletions', async () => {
    const { url, folder } = host.create('lean');
    await shop.site('connectGitHost', { remoteUrl: url, token: host.token });
    await shop.git('Push');
    real.run('.', ['clone', '-q', `${real.home}/${folder}`, 'lean']);
    real.run('lean', ['checkout', '-q', '-b', 'lean']);
    real.run('lean', ['rm', '-q', 'pages/b.tsx']);
    real.commit('lean', 'Without b');
    real.run('lean', ['push', '-q', 'origin', 'HEAD']);
    expect(await shop.refused('gitSwitchBranch', { name: 'lean' }, agent)).toEqual([
      403,
      'git-deletes-unasked',
      expect.anything(),
    ]);
    expect(await present()).toEqual(['main', ['/', '/b']]);
    await shop.git('SwitchBranch', { name: 'lean' });
    expect(await present()).toEqual(['lean', ['/']]);
  });

  it('SA-05 is open to keys that never delete, to which only discardLocalChanges is refused', async () => {
    const { id: memberId } = await person(app, 'editor');
    const never = await keyOf(app, { kind: 'connection', neverDeletes: true, memberId });
    expect(await switched('next', never)).toMatchObject({ status: 200, body: { branch: 'next' } });
    expect(await present()).toEqual(['next', ['/']]);
  });
});
