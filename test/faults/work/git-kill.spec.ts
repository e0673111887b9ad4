import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { takes } from '../../support/clocks/delays.js';
import { eventually } from '../../support/eventually.js';
import { RealGit } from '../../support/git/real-git.js';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

/**
 * Times after an acknowledged commit at which the process is killed, in milliseconds. All are within the next commit.
 */
const deaths = [5, 20, 60, 150];

describe('a service that is killed while it commits', () => {
  const real = new RealGit();
  let directory: EmbeddedDirectory;
  let service: ServiceProcess;
  const start = async () => {
    service = await startServiceProcess({ dataDir: directory.path });
  };
  beforeAll(async () => {
    directory = new EmbeddedDirectory();
    await start();
  }, 30_000);
  afterAll(async () => {
    await service.end('SIGKILL');
    directory.remove();
    real.remove();
  });

  it('has every acknowledged commit, in a repository in which git finds no fault', async () => {
    const { id: projectId } = (await service.call('site/createProject', { name: 'Shop' })).body;
    const page = { projectId, name: 'Page', path: '/a', content: 'begin' };
    const { id } = (await service.call('site/createPage', page)).body;
    const acknowledged: string[] = [];
    for (const [death, ms] of deaths.entries()) {
      const before = acknowledged.length;
      let isDead = false;
      const commits = (async () => {
        for (let edit = 0; !isDead; edit++) {
          await service.call('site/updatePage', { id, content: `${death} ${edit}` });
          const { status, body } = await service.call('site/gitCommit', { projectId, message: `${death} ${edit}` });
          if (status === 200) acknowledged.push(body.sha);
        }
      })().catch(() => undefined);
      await eventually(
        async () => acknowledged.length,
        (count) => count > before,
        60_000,
      );
      await takes(ms);
      isDead = true;
      await service.end('SIGKILL');
      await commits;
      await start();
      const { commits: listed } = (await service.call('site/gitListCommits', { projectId, limit: 200 })).body;
      const newest = listed.map(({ sha }: { sha: string }) => sha);
      // Commits that were not acknowledged can be listed too, one for each death.
      expect(newest).toEqual(expect.arrayContaining(acknowledged.slice(-(200 - deaths.length))));
    }
    await service.call('site/updatePage', { id, content: 'end' });
    const { body } = await service.call('site/gitCommit', { projectId, message: 'After all' });
    expect((await service.call('site/gitStatus', { projectId })).body.changed).toEqual([]);
    const [workspace = ''] = readdirSync(join(directory.path, 'git'));
    const packs = join(directory.path, 'git', workspace, projectId);
    const names = readdirSync(packs).flatMap((name) => (name.endsWith('.idx') ? [name.slice(0, -4)] : []));
    real.adopt('killed', packs, { packs: names }, body.sha);
    expect(real.run('killed', ['show', 'main:pages/a.tsx']).toString()).toBe('end');
    expect(real.text('killed', 'rev-list', 'main').split('\n')).toEqual(expect.arrayContaining(acknowledged));
  }, 120_000);
});
