import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runCommand } from '../../../src/cli/commands.js';
import { type Engines, startEngines } from '../../support/engines.js';
import { eventually } from '../../support/eventually.js';
import { masterKey } from '../../support/processes.js';
import { ownerKey, type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

const workerRoles = 'projections,sagas,runner,scheduler,mail-in';

let engines: Engines;
let directory: string;
let started: ServiceProcess[];
beforeEach(async () => {
  engines = await startEngines();
  directory = mkdtempSync(join(tmpdir(), 'take-over-'));
  started = [];
});
afterEach(async () => {
  for (const { pid } of started) if (pid !== undefined) signal(pid, 'SIGCONT');
  await Promise.all(started.map((process) => process.end('SIGKILL')));
  await engines.close();
  rmSync(directory, { recursive: true, force: true });
});

function signal(pid: number, name: NodeJS.Signals) {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended already.
  }
}

const settings = () => ({ ...engines.environment, MASTER_KEY: masterKey, BOOTSTRAP_OWNER_KEY: ownerKey });

async function start(ROLES: string, more: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
  const environment = { ...settings(), ROLES, LOG_LEVEL: 'warn', ...more };
  const made = await startServiceProcess({ dataDir: directory, environment });
  started.push(made);
  return made;
}

async function leasesOf({ url }: ServiceProcess): Promise<readonly string[]> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return [...metrics.matchAll(/countersign_lease_held\{lease="([^"]+)"\} 1/g)].map(([, name]) => name ?? '');
}

const everything = async (worker: ServiceProcess) => {
  const leases = await leasesOf(worker);
  return ['read-model/functions', 'read-model/runs', 'work', 'scheduler'].every((name) => leases.includes(name));
};

/** Creates a function. `accept` starts it through a webhook, so that another process runs it. */
async function webhookOf(api: ServiceProcess, code: string) {
  const fn = (await api.call('automations/createFunction', { name: 'work', code })).body;
  await api.call('automations/updateFunction', { id: fn.id, isActive: true });
  const { token } = (await api.call('automations/createWebhook', { functionId: fn.id })).body;
  const accept = async () => {
    const path = `/api/automations/functions/webhook/${token}`;
    const { status, body } = await api.post(path, {}, { prefer: 'respond-async' });
    return status === 202 ? (body.runId as string) : undefined;
  };
  const runs = async () => (await api.call('automations/listRuns', { functionId: fn.id, limit: 200 })).body;
  return { fn, accept, runs };
}

async function verified(): Promise<readonly string[]> {
  const lines: string[] = [];
  const console = { out: (line: string) => lines.push(line), error: (line: string) => lines.push(line) };
  await runCommand(['projections:verify'], { ...settings(), DATA_DIR: directory, LOG_LEVEL: 'error' }, console);
  return lines.filter((line) => line.includes('DIFFERENT'));
}

describe('when the process that holds the leases', () => {
  it('is killed, another does its work, and nothing accepted is lost or done twice', async () => {
    const first = await start(workerRoles);
    const [second, api] = await Promise.all([start(workerRoles), start('api')]);
    const { accept, runs } = await webhookOf(api, 'return 1');
    const accepted: string[] = [];
    const send = async () => {
      const runId = await accept();
      if (runId !== undefined) accepted.push(runId);
    };
    const { id: projectId } = (await api.call('site/createProject', { name: 'Shop' })).body;
    for (let n = 0; n < 10; n++) await send();
    expect((await api.call('site/publish', { id: projectId })).status).toBe(200);
    await first.end('SIGKILL');
    for (let n = 0; n < 10; n++) await send();
    await eventually(
      () => everything(second),
      (all) => all,
      60_000,
    );
    expect(accepted).toHaveLength(20);
    const all = await eventually(
      runs,
      (list) => list.length === 20 && list.every(({ status }: { status: string }) => status === 'success'),
      30_000,
    );
    expect(all.map(({ id }: { id: string }) => id).sort()).toEqual(accepted.sort());
    // The other process takes over the interrupted publish at once, without waiting until it is overdue.
    const published = await eventually(
      async () => (await api.call('site/listDeployments', { projectId })).body,
      (deployments) => deployments.length > 0,
      30_000,
    );
    expect(published).toMatchObject([{ status: 'live' }]);
    expect((await api.call('site/getPublishStatus', { projectId })).body).toBeNull();
    expect(await verified()).toEqual([]);
  }, 180_000);

  it('is stopped regularly, another does its work without waiting for a timeout', async () => {
    const patient = { LEASE_SILENCE_MS: '600000' };
    const first = await start(workerRoles, patient);
    const [second, api] = await Promise.all([start(workerRoles, patient), start('api', patient)]);
    const { accept, runs } = await webhookOf(api, 'return 1');
    expect((await first.end('SIGTERM')).code).toBe(0);
    expect(await accept()).toBeDefined();
    await eventually(
      () => everything(second),
      (all) => all,
      60_000,
    );
    await eventually(runs, ([run]) => run?.status === 'success', 60_000);
  }, 180_000);

  it('is frozen for a while, another continues, and it does no harm when it wakes', async () => {
    const first = await start(workerRoles);
    const [second, api] = await Promise.all([start(workerRoles), start('api')]);
    const { accept, runs } = await webhookOf(api, 'return 1');
    await accept();
    await eventually(runs, ([run]) => run?.status === 'success');
    signal(first.pid ?? 0, 'SIGSTOP');
    await accept();
    await eventually(
      () => everything(second),
      (all) => all,
      60_000,
    );
    await eventually(runs, (list) => list.length === 2 && list[0].status === 'success', 60_000);
    signal(first.pid ?? 0, 'SIGCONT');
    await eventually(
      () => leasesOf(first),
      (leases) => leases.length === 0,
      60_000,
    );
    await accept();
    const all = await eventually(
      runs,
      (list) => list.length === 3 && list.every(({ status }: { status: string }) => status === 'success'),
      60_000,
    );
    expect(all.map(({ attempts }: { attempts: unknown[] }) => attempts.length)).toEqual([1, 1, 1]);
    expect(await everything(second)).toBe(true);
    expect(await verified()).toEqual([]);
  }, 180_000);

  it('is killed in the middle of an accepted run, the run is repeated and both attempts are shown', async () => {
    const first = await start(workerRoles);
    const [, api] = await Promise.all([start(workerRoles), start('api')]);
    const { accept, runs } = await webhookOf(
      api,
      'await new Promise((resolve) => setTimeout(resolve, 3000)); return 1',
    );
    await accept();
    await eventually(runs, ([run]) => run?.status === 'running', 60_000);
    await first.end('SIGKILL');
    const [run] = await eventually(runs, ([one]) => one?.status === 'success', 40_000);
    expect(run.attempts.map(({ error }: { error: string | null }) => error)).toEqual([
      'The service stopped while this run was going.',
      null,
    ]);
  }, 180_000);
});
