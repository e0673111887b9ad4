import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EgressScene } from '../../support/egress/egress-scene.js';
import type { TestServer } from '../../support/egress/test-server.js';
import { type Engines, startEngines } from '../../support/engines.js';
import { eventually } from '../../support/eventually.js';
import { masterKey } from '../../support/processes.js';
import { ownerKey, type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

const workerRoles = 'projections,sagas,runner,scheduler';
const scene = new EgressScene();
let engines: Engines;
let directory: string;
let started: ServiceProcess[];
let server: TestServer;
let holdsFirst: boolean;
beforeEach(async () => {
  engines = await startEngines();
  directory = mkdtempSync(join(tmpdir(), 'flow-take-over-'));
  started = [];
  holdsFirst = true;
  server = await scene.http((_, response) => {
    if (!holdsFirst || server.seen.length > 1) response.end('ok');
  });
});
afterEach(async () => {
  for (const { pid } of started) if (pid !== undefined) signal(pid, 'SIGCONT');
  await Promise.all(started.map((process) => process.end('SIGKILL')));
  await scene.close();
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

async function start(ROLES: string): Promise<ServiceProcess> {
  const own = { MASTER_KEY: masterKey, BOOTSTRAP_OWNER_KEY: ownerKey, EGRESS_ALLOW: '127.0.0.1', LOG_LEVEL: 'warn' };
  const made = await startServiceProcess({
    dataDir: directory,
    environment: { ...engines.environment, ...own, ROLES },
  });
  started.push(made);
  return made;
}

async function runAsking(api: ServiceProcess) {
  const steps = [
    { id: 'ask', kind: 'http_request', settings: { method: 'POST', url: server.url() } },
    { id: 'then', kind: 'raise_event', settings: { name: 'asked', properties: { body: '{{steps.ask.body}}' } } },
  ];
  const { id } = (await api.call('flows/createFlow', { name: 'Asking', steps })).body;
  const { runId } = (await api.call('flows/runFlow', { id })).body;
  return async () => (await api.call('flows/getFlowRun', { id: runId })).body;
}

const isOver = ({ status }: { status: string }) => status === 'success' || status === 'error';
const eventsIn = async (api: ServiceProcess) =>
  (await api.call('audit/listEvents', { kind: 'accountEvent' })).body.events.length;

describe('if the process that executes a step of a flow', () => {
  it('is killed, another repeats the step under the same key, and the run continues', async () => {
    const first = await start(workerRoles);
    const [, api] = await Promise.all([start(workerRoles), start('api')]);
    const run = await runAsking(api);
    await eventually(
      async () => server.seen.length,
      (seen) => seen === 1,
      20_000,
    );
    await first.end('SIGKILL');
    expect(await eventually(run, isOver, 60_000)).toMatchObject({
      status: 'success',
      steps: [{ attempts: [{ number: 1, starts: 2 }] }, { id: 'then' }],
    });
    expect(new Set(server.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(await eventsIn(api)).toBe(1);
  }, 120_000);

  it('is frozen until another has repeated the step, its own result is ignored', async () => {
    const first = await start(workerRoles);
    const [, api] = await Promise.all([start(workerRoles), start('api')]);
    const run = await runAsking(api);
    await eventually(
      async () => server.seen.length,
      (seen) => seen === 1,
      20_000,
    );
    signal(first.pid ?? 0, 'SIGSTOP');
    const ended = await eventually(run, isOver, 60_000);
    expect(ended).toMatchObject({ status: 'success', steps: [{ attempts: [{ starts: 2 }] }, { id: 'then' }] });
    signal(first.pid ?? 0, 'SIGCONT');
    for (const socket of server.open) socket.destroy();
    const again = await runOther(api);
    expect(await eventually(again, isOver, 60_000)).toMatchObject({ status: 'success' });
    expect(await run()).toEqual(ended);
    expect(await eventsIn(api)).toBe(2);
  }, 150_000);
});

/** Starts a run of another flow. */
async function runOther(api: ServiceProcess) {
  const steps = [{ id: 'raise', kind: 'raise_event', settings: { name: 'again' } }];
  const { id } = (await api.call('flows/createFlow', { name: 'Again', steps })).body;
  const { runId } = (await api.call('flows/runFlow', { id })).body;
  return async () => (await api.call('flows/getFlowRun', { id: runId })).body;
}
