import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { randomMoment } from '../../support/clocks/delays.js';
import { eventually } from '../../support/eventually.js';
import { allRuns, answeredDifferently, lost } from '../../support/kills/kill-check.js';
import {
  createWithKey,
  emptyLedger,
  isBrokenConnection,
  loadUntilKilled,
  post,
  setScene,
  sizeOf,
} from '../../support/kills/kill-ledger.js';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

const rounds = 5;
const cutOff = 'The service stopped while this run was going.';

/** Needs a build, because it starts the service as a process. */
describe('service, killed', () => {
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

  async function killAndRestart(): Promise<void> {
    await service.end('SIGKILL');
    service = await startServiceProcess({ dataDir: directory.path });
  }

  /** A function that is still running at the kill, and its webhook. */
  const slowFunction = () => setScene(service, 'await new Promise((resolve) => setTimeout(resolve, 1_500)); return 1;');

  const runOf = async (scene: { functionId: string; webhook: string }) => [...(await allRuns(service, scene)).values()];

  it('keeps everything acknowledged under load, and answers idempotency keys as before', async () => {
    const scene = await setScene(service);
    const ledger = emptyLedger();
    for (let round = 0; round < rounds; round += 1) {
      const load = loadUntilKilled(service, scene, ledger, round);
      await randomMoment(200, 800);
      await service.end('SIGKILL');
      await load;
      service = await startServiceProcess({ dataDir: directory.path });
      expect(await lost(service, scene, ledger)).toEqual([]);
    }
    expect(sizeOf(ledger)).toBeGreaterThan(rounds);
    const create = (key: string) => createWithKey(service, key);
    const deliver = (key: string) => post(service, scene, { key });
    expect(await answeredDifferently(ledger, create, deliver)).toEqual([]);
  }, 90_000);

  it('lists a run whose caller was waiting as failed, with one sentence', async () => {
    const scene = await slowFunction();
    const waiting = post(service, scene, {}).catch((error: unknown) => error);
    await eventually(
      () => runOf(scene),
      ([run]) => run?.status === 'running',
    );
    await killAndRestart();
    expect(isBrokenConnection(await waiting)).toBe(true);
    expect(await runOf(scene)).toEqual([
      expect.objectContaining({ status: 'error', error: cutOff, finishedAt: expect.any(String), retryAt: null }),
    ]);
  });

  it('repeats an accepted run and shows both attempts', async () => {
    const scene = await slowFunction();
    expect((await post(service, scene, { async: true })).status).toBe(202);
    await eventually(
      () => runOf(scene),
      ([run]) => run?.status === 'running',
    );
    await killAndRestart();
    const [run] = await eventually(
      () => runOf(scene),
      ([one]) => one?.status === 'success',
    );
    expect(run?.attempts).toEqual([
      expect.objectContaining({ number: 1, error: cutOff }),
      expect.objectContaining({ number: 2, error: null }),
    ]);
  });

  it('answers a repeated delivery with the interrupted run, and runs nothing', async () => {
    const scene = await slowFunction();
    const waiting = post(service, scene, { key: 'order-1' }).catch((error: unknown) => error);
    const [first] = await eventually(
      () => runOf(scene),
      ([run]) => run?.status === 'running',
    );
    await killAndRestart();
    await waiting;
    const again = await post(service, scene, { key: 'order-1' });
    expect(again.headers.get('x-run-id')).toBe(first?.id);
    expect(again).toMatchObject({ status: 500, body: { success: false, error: cutOff } });
    expect(await runOf(scene)).toHaveLength(1);
  });
});
