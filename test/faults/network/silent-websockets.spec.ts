// Second tier.
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { eventually } from '../../support/eventually.js';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js';
import { RealtimeClient } from '../../support/sites/realtime-client.js';

const clients = fileURLToPath(new URL('./silent-websockets.child.mjs', import.meta.url));
const count = 10_000;
const ofEach = count / 4;
/**
 * Limit of open files. Both ends of a socket need a descriptor, in different processes, and the service needs some
 * more.
 */
const mayOpen = Number(execFileSync('sh', ['-c', 'ulimit -n']).toString().replace('unlimited', 'Infinity'));
const described = mayOpen > count + 1_000 ? describe : describe.skip;

interface Counts {
  readonly opened: number;
  readonly pinged: number;
  readonly asIdle: number;
  readonly closed: number;
}
type Seen = Readonly<Record<'halfOpen' | 'silent' | 'halfFrame' | 'idle', Counts>>;

/** Needs a build, because it starts the service as a process. */
described('10,000 silent sockets at the realtime endpoint', () => {
  let directory: EmbeddedDirectory;
  let service: ServiceProcess;
  let strangers: ChildProcess | undefined;
  let listener: RealtimeClient | undefined;
  beforeEach(async () => {
    directory = new EmbeddedDirectory();
    const most = String(count);
    service = await startServiceProcess({
      dataDir: directory.path,
      environment: { REALTIME_SITE_CONNECTIONS: most, REALTIME_ADDRESS_CONNECTIONS: most, REALTIME_CONNECTIONS: most },
    });
  }, 60_000);
  afterEach(async () => {
    listener?.close();
    strangers?.kill('SIGKILL');
    await service.end('SIGKILL');
    directory.remove();
  });

  it('are pinged and closed, half-open handshakes time out, and calls and listeners are served throughout', async () => {
    const { id: projectId } = (await service.call('site/createProject', { name: 'Crowded' })).body;
    const everybody = { type: 'public', scope: 'everywhere' };
    const accessRules = { subscribe: everybody, publish: everybody };
    await service.call('site/setChannelAccessRules', { projectId, pattern: 'news', accessRules });
    const listens = await RealtimeClient.open(service, projectId);
    listener = listens;
    expect(await listens.listens('news')).toBe('subscribed');
    let seen: Seen | undefined;
    strangers = fork(clients, [new URL(service.url).port, `/api/app/${projectId}/realtime`, String(count)]);
    expect((await once(strangers, 'message'))[0]).toEqual({ connected: count });
    strangers.on('message', (one: Seen) => {
      seen = one;
    });
    const outcomes: unknown[] = [];
    await eventually(
      async () => {
        outcomes.push((await service.call('workspace/getWorkspace')).status);
        outcomes.push(await listens.outcome({ type: 'publish', channel: 'news', data: outcomes.length }));
        return Object.values(seen ?? {}).map(({ closed }) => closed);
      },
      (closed) => closed.length === 4 && closed.every((sockets) => sockets === ofEach),
      150_000,
    );
    const [opened, pinged, closed] = [ofEach, ofEach, ofEach];
    expect(seen).toEqual({
      halfOpen: { opened: 0, pinged: 0, asIdle: 0, closed },
      silent: { opened, pinged, asIdle: 0, closed },
      halfFrame: { opened, pinged, asIdle: 0, closed },
      idle: { opened, pinged, asIdle: ofEach, closed },
    });
    expect([new Set(outcomes), outcomes.length > 40]).toEqual([new Set([200, 'published']), true]);
    expect([listens.closed, listens.heard('news')]).toEqual([
      undefined,
      outcomes.flatMap((_, n) => (n % 2 ? [n] : [])),
    ]);
  }, 240_000);
});
