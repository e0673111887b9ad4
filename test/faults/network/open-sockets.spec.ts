// Second tier.
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { eventually } from '../../support/eventually.js';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js';
import { SiteClient } from '../../support/sites/site-client.js';

const clients = fileURLToPath(new URL('./open-sockets.child.mjs', import.meta.url));
const count = 10_000;
/**
 * Limit of open files. Both ends of a socket need a descriptor, in different processes, and the service needs some
 * more.
 */
const mayOpen = Number(execFileSync('sh', ['-c', 'ulimit -n']).toString().replace('unlimited', 'Infinity'));
const described = mayOpen > count + 1_000 ? describe : describe.skip;

interface Told {
  readonly connected?: number;
  readonly answered?: number;
  readonly closed?: number;
}

/** Needs a build, because it starts the service as a process. */
described('10,000 open sockets at a site', () => {
  let directory: EmbeddedDirectory;
  let service: ServiceProcess;
  let strangers: ChildProcess | undefined;
  beforeEach(async () => {
    directory = new EmbeddedDirectory();
    service = await startServiceProcess({ dataDir: directory.path });
  }, 60_000);
  afterEach(async () => {
    strangers?.kill('SIGKILL');
    await service.end('SIGKILL');
    directory.remove();
  });

  it('do not block its pages, and those without a request are closed', async () => {
    const { id } = (await service.call('site/createProject', { name: 'Crowded' })).body;
    await service.call('site/publish', { id });
    const status = async () => (await service.call('site/getPublishStatus', { projectId: id })).body;
    expect(await eventually(status, (now) => now === null, 60_000)).toBeNull();
    const { host } = new URL((await service.call('site/getProject', { id })).body.publishedUrl);
    const { port } = new URL(service.url);
    const told: Told[] = [];
    strangers = fork(clients, [port, host, String(count)]);
    strangers.on('message', (one: Told) => told.push(one));
    expect((await once(strangers, 'message'))[0]).toEqual({ connected: count });
    const site = new SiteClient(service, host);
    const statuses: number[] = [];
    const all = await eventually(
      async () => {
        statuses.push((await site.get('/')).status, (await service.call('workspace/getWorkspace')).status);
        return told.at(-1) ?? {};
      },
      ({ closed = 0, answered = 0 }) => closed === (count * 3) / 4 && answered === count / 4,
      90_000,
    );
    expect(all).toMatchObject({ answered: count / 4, closed: (count * 3) / 4 });
    expect([new Set(statuses), statuses.length > 20]).toEqual([new Set([200]), true]);
  }, 180_000);
});
