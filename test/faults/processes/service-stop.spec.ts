// Second tier.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { eventually } from '../../support/eventually.js';
import { allRuns } from '../../support/kills/kill-check.js';
import { createWithKey, post, setScene } from '../../support/kills/kill-ledger.js';
import { type ServiceProcess, serviceMain, startServiceProcess } from '../../support/service-process.js';

/** Needs a build, because it starts the service as a process. */
describe('service, stopped under load', () => {
  let directory: EmbeddedDirectory;
  let service: ServiceProcess;
  beforeEach(async () => {
    directory = new EmbeddedDirectory();
    service = await startServiceProcess({ dataDir: directory.path });
  });
  afterEach(async () => {
    await service.end('SIGKILL');
    directory.remove();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'answers every request in progress on %s, and exits with 0',
    async (signal) => {
      const code = 'await new Promise((resolve) => setTimeout(resolve, 3000)); return params.items.length;';
      const scene = await setScene(service, code);
      const inFlight = [
        ...Array.from({ length: 8 }, () => post(service, scene, {})),
        ...Array.from({ length: 8 }, (_, at) => createWithKey(service, `last-${at}`)),
      ].map((request) => request.then(({ status }) => status));
      // All requests have arrived, and the function runs longer than this wait.
      await Promise.all(inFlight.slice(8));
      await eventually(
        () => allRuns(service, scene),
        (runs) => runs.size === 8,
      );
      const exit = await service.end(signal);
      const answers = await Promise.allSettled(inFlight);
      expect(answers).toEqual(inFlight.map(() => ({ status: 'fulfilled', value: 200 })));
      expect(exit).toEqual({ code: 0, signal: null });

      service = await startServiceProcess({ dataDir: directory.path });
      const runs = [...(await allRuns(service, scene)).values()];
      expect(runs.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 'success'));
    },
    40_000,
  );
});

describe('service, stopped before it has started', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)(
    'handles %s itself, as process 1 of a container must, and ends at once',
    async (signal, code) => {
      const directory = new EmbeddedDirectory();
      // An event store that accepts connections but never answers, so the start waits for it.
      const silent = createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      const service = spawn(process.execPath, ['--no-warnings', serviceMain], {
        env: {
          PORT: '0',
          SMTP_IN_PORT: '0',
          DATA_DIR: directory.path,
          EVENT_STORE: 'eventstoredb',
          EVENTSTOREDB_URL: `esdb://127.0.0.1:${port}?tls=false`,
        },
        stdio: 'ignore',
      });
      const ended = once(service, 'close');
      try {
        const [connection] = await once(silent, 'connection');
        const began = performance.now();
        service.kill(signal);
        expect(await ended).toEqual([code, null]);
        expect(performance.now() - began).toBeLessThan(2_000);
        connection.destroy();
      } finally {
        service.kill('SIGKILL');
        await ended;
        silent.close();
        directory.remove();
      }
    },
    30_000,
  );
});
