// Engines: one process, and several.
// Second tier.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { GitServer } from '../../support/git/git-server.js';
import { GitSite } from '../../support/git/git-site.js';
import { RealGit } from '../../support/git/real-git.js';
import { done } from '../../support/people.js';

let app: TestApp;
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

it('an empty description in a pulled site.json clears the one of the site, and neither it nor null stops a later pull', async () => {
  const shop = await GitSite.of(app);
  await done(app, 'site/updateProject', { id: shop.projectId, description: 'Sells things' });
  const { folder } = host.create('shop');
  await shop.site('connectGitHost', { token: host.token, repoOwner: host.owner, repoName: 'shop' });
  await shop.commit();
  await shop.git('Push');
  real.run('.', ['clone', '-q', `${real.home}/${folder}`, 'clone']);
  const push = (more: object) => {
    const settings = JSON.parse(real.run('clone', ['show', 'HEAD:site.json']).toString());
    real.write('clone', { 'site.json': JSON.stringify({ ...settings, ...more }) });
    real.run('clone', ['commit', '-qam', 'Edit']);
    real.run('clone', ['push', '-q']);
  };
  const facts = async () => {
    const { name, description } = await done(app, 'site/getProject', { id: shop.projectId });
    return { name, description, changed: (await shop.git('Status')).changed };
  };
  push({ description: '' });
  expect((await shop.git('Pull')).changed).toEqual(['site.json']);
  expect(await facts()).toEqual({ name: 'Shop', description: null, changed: [] });
  push({ name: 'Store' });
  expect((await shop.git('Pull')).changed).toEqual(['site.json']);
  expect(await facts()).toEqual({ name: 'Store', description: null, changed: [] });
  push({ name: null, dependencies: null });
  await shop.git('Pull');
  expect(await facts()).toEqual({ name: 'Store', description: null, changed: [] });
  push({ description: 'Sells more' });
  await shop.git('Pull');
  expect(await facts()).toEqual({ name: 'Store', description: 'Sells more', changed: [] });
});
