// Second tier.
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { eventually } from '../../support/eventually.js';
import { allRuns } from '../../support/kills/kill-check.js';
import { post, setScene } from '../../support/kills/kill-ledger.js';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

/** Needs a build, because it starts the service as a process. */
describe('the service, when it is stopped', () => {
  let directory: EmbeddedDirectory;
  let service: ServiceProcess;
  const start = (environment: Readonly<Record<string, string>>) =>
    startServiceProcess({ dataDir: directory.path, environment });
  beforeEach(() => {
    directory = new EmbeddedDirectory();
  });
  afterEach(async () => {
    await service.end('SIGKILL');
    directory.remove();
  });

  const ready = async () => {
    const response = await fetch(`${service.url}/readyz`);
    return { status: response.status, body: (await response.json()) as { parts: { startup: string } } };
  };

  it('is not ready at once, serves new calls until balancers have noticed, and exits with 0', async () => {
    service = await start({ SHUTDOWN_DELAY_SECONDS: '4' });
    expect((await ready()).status).toBe(200);
    const ended = service.end('SIGTERM');
    const { body } = await eventually(ready, ({ status }) => status === 503);
    expect(body.parts.startup).toBe('The process is stopping; it serves calls for a moment longer.');
    const made = await service.call('automations/createFunction', { name: 'Late', code: 'return 1;' });
    expect(made.status).toBe(200);
    expect(await ended).toEqual({ code: 0, signal: null });

    service = await start({});
    expect((await service.call('automations/getFunction', { id: made.body.id })).status).toBe(200);
  }, 60_000);

  it('answers a call that does not end in time with an error message, and still exits with 0', async () => {
    service = await start({});
    const scene = await setScene(service, 'await new Promise((resolve) => setTimeout(resolve, 100_000)); return 1;');
    const { functionId } = scene;
    await service.call('automations/updateFunction', { id: functionId, timeout: 120_000 });
    const open = post(service, scene, {});
    await eventually(
      () => allRuns(service, scene),
      (runs) => runs.size === 1,
    );
    const ended = service.end('SIGTERM');
    const { status, body, headers } = await open;
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'service-stopping', '2']);
    expect(await ended).toEqual({ code: 0, signal: null });

    service = await start({});
    const runs = await eventually(
      () => allRuns(service, scene),
      (all) => [...all.values()].every(({ status: now }) => now === 'error'),
    );
    expect(runs.size).toBe(1);
  }, 90_000);
});
