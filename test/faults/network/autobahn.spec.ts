// Second tier.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { OpenSockets } from '../../../src/http/realtime/open-sockets.js';
import type { RealtimeSocket } from '../../../src/http/realtime/realtime-socket.js';
import { SocketUpgrades } from '../../../src/http/realtime/socket-upgrades.js';
import { startApp, type TestApp } from '../../support/app.js';
import { siteVisitors } from '../../support/sites/site-visitors.js';

const version = '25.10.1';
/** The suite needs Python 2. */
const pythons = ['python2.7', join(homedir(), '.pyenv/versions/2.7.18/bin/python')];
/** Cached between runs. */
const installed = join(homedir(), '.cache/countersign-tests', `autobahn-${version}`);
/** Excluded cases: messages above 64 KB, and compression, which the server does not offer. */
const left = ['9.*', '12.*', '13.*'];

/** Adds the folder as site directory, because some of its packages share a namespace. */
const from = (folder: string) =>
  `import site; site.addsitedir(${JSON.stringify(folder)}); import autobahntestsuite.wstest`;

/** Finds a Python that has the suite, or returns why there is none. */
function suite(): { readonly python: string } | { readonly why: string } {
  let why = 'there is no Python 2.7';
  for (const python of pythons) {
    try {
      execFileSync(python, ['--version'], { stdio: 'pipe' });
    } catch {
      continue;
    }
    try {
      execFileSync(python, ['-c', from(installed)], { stdio: 'pipe' });
      return { python };
    } catch {
      try {
        const target = ['--target', installed, `autobahntestsuite==${version}`];
        execFileSync(python, ['-m', 'pip', 'install', '-q', ...target], { stdio: 'pipe', timeout: 240_000 });
        return { python };
      } catch (error) {
        why = String((error as Error).message).split('\n', 1)[0] ?? '';
      }
    }
  }
  return { why };
}

const found = suite();
if ('why' in found) process.stderr.write(`The Autobahn test suite is not run: ${found.why}\n`);

('python' in found ? describe : describe.skip)('the Autobahn test suite', () => {
  let app: TestApp;
  const folder = mkdtempSync(join(tmpdir(), 'countersign-autobahn-'));
  beforeAll(async () => {
    // The suite tests an echo server, so the product's handler is replaced by an echo.
    const { open } = SocketUpgrades.prototype;
    jest.spyOn(SocketUpgrades.prototype, 'open').mockImplementation(async function (this: SocketUpgrades, reply) {
      const opened = await open.call(this, reply);
      opened?.client.on('message', (data, binary) => opened.client.send(data, { binary }));
      opened?.client.on('ping', (data) => opened.client.pong(data));
      opened?.client.on('error', () => undefined);
      return opened;
    });
    const silent = { send: () => undefined, end: () => undefined } as unknown as RealtimeSocket;
    jest.spyOn(OpenSockets.prototype, 'add').mockReturnValue(silent);
    app = await startApp({
      environment: { REALTIME_ADDRESS_CONNECTIONS: '10000', REALTIME_SITE_CONNECTIONS: '10000' },
    });
  }, 60_000);
  afterAll(async () => {
    await app?.close();
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });

  it('reports no failure', async () => {
    const { projectId } = await siteVisitors(app);
    const url = `${app.url.replace('http', 'ws')}/api/app/${projectId}/realtime`;
    const servers = [{ agent: 'Countersign', url, options: { version: 18 } }];
    const spec = join(folder, 'spec.json');
    writeFileSync(spec, JSON.stringify({ outdir: folder, servers, cases: ['*'], 'exclude-cases': left }));
    const python = 'python' in found ? found.python : '';
    const words = ['-c', `${from(installed)}; autobahntestsuite.wstest.run()`, '-m', 'fuzzingclient', '-s', spec];
    await promisify(execFile)(python, words, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
    const { Countersign: cases = {} } = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as Record<
      string,
      Record<string, { readonly behavior: string; readonly behaviorClose: string }>
    >;
    const wrong = Object.entries(cases).filter(
      ([, { behavior, behaviorClose }]) => !isRight(behavior) || !isRight(behaviorClose),
    );
    expect(wrong).toEqual([]);
    expect(Object.keys(cases).length).toBeGreaterThan(240);
  }, 600_000);
});

/** NON-STRICT means permitted, although a stricter behaviour is possible. */
const isRight = (behavior: string) => ['OK', 'NON-STRICT', 'INFORMATIONAL'].includes(behavior);
