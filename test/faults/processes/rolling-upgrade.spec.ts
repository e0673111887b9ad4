import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runCommand } from '../../../src/cli/commands.js';
import { takes } from '../../support/clocks/delays.js';
import { type Engines, startEngines } from '../../support/engines.js';
import { eventually } from '../../support/eventually.js';
import { masterKey } from '../../support/processes.js';
import { Fleet } from '../../support/rolling/fleet.js';
import { Load } from '../../support/rolling/load.js';
import { type NewerVersion, newerVersion } from '../../support/rolling/newer-version.js';

let engines: Engines;
let directory: string;
let newer: NewerVersion;
let fleet: Fleet;
let load: Load;
beforeEach(async () => {
  engines = await startEngines();
  directory = mkdtempSync(join(tmpdir(), 'rolling-'));
  newer = newerVersion();
  fleet = new Fleet(engines, directory);
  load = new Load(fleet);
});
afterEach(async () => {
  await load.end().catch(() => undefined);
  await fleet.close();
  await engines.close();
  newer.remove();
  rmSync(directory, { recursive: true, force: true });
});

/** Waits until this many more calls of the load have been acknowledged. */
const more = async (count = 15) => {
  const before = load.size;
  await eventually(
    async () => load.size,
    (size) => size >= before + count,
    90_000,
  );
};

async function cli(...words: readonly string[]): Promise<readonly string[]> {
  const lines: string[] = [];
  const console = { out: (line: string) => lines.push(line), error: (line: string) => lines.push(line) };
  const settings = { ...engines.environment, MASTER_KEY: masterKey, DATA_DIR: directory, LOG_LEVEL: 'error' };
  await runCommand([...words], settings, console);
  return lines;
}

interface Line {
  readonly type?: string;
  readonly data?: { readonly runId?: string; readonly status?: string };
}

/** All events of the log by type. */
async function recorded(): Promise<ReadonlyMap<string, readonly Line[]>> {
  const file = join(directory, 'log.ndjson');
  await cli('log:export', file);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return Map.groupBy(
    lines.map((line) => JSON.parse(line) as Line),
    ({ type }) => type ?? '',
  );
}

async function nothingIsLost(): Promise<void> {
  await load.end();
  await eventually(
    async () => (await load.runs()).filter(({ status }) => status !== 'success').map(({ id, error }) => [id, error]),
    (unsuccessful) => unsuccessful.length === 0,
    90_000,
  );
  expect((await load.runs()).map(({ id }) => id).sort()).toEqual([...load.accepted].sort());
  const mails = await eventually(
    () => load.received(),
    (all) => all.every(({ status }) => status !== 'received'),
    90_000,
  );
  const kept = new Set(mails.map(({ subject }) => subject));
  expect([...load.mails].filter((subject) => !kept.has(subject))).toEqual([]);
  expect(mails.filter(({ status }) => status !== 'ok').map(({ id, status }) => [id, status])).toEqual([]);
  expect(await load.describedDifferently()).toEqual([]);
  expect((await cli('projections:verify')).filter((line) => line.includes('DIFFERENT'))).toEqual([]);
  const successes = ((await recorded()).get('RunEnded') ?? []).filter(({ data }) => data?.status === 'success');
  const ended = successes.map(({ data }) => data?.runId);
  expect(ended.length).toBe(new Set(ended).size);
}

describe('two versions of the service', () => {
  it('are upgraded and rolled back under load with a process killed in each phase, and nothing is lost', async () => {
    const [oldWorker, oldApi] = [await fleet.start({ roles: 'worker' }), await fleet.start({ roles: 'api' })];
    await load.begin();
    await more();
    // Upgrade: the worker first, then the api. The old worker is killed instead of stopped.
    const newWorker = await fleet.start({ roles: 'worker', main: newer.main });
    await more();
    await fleet.kill(oldWorker);
    const newApi = await fleet.start({ roles: 'api', main: newer.main });
    await more();
    expect(await fleet.stop(oldApi)).toBe(0);
    await more();
    // Rollback: the api first, then the worker.
    const api = await fleet.start({ roles: 'api' });
    await fleet.kill(newApi);
    await more();
    const worker = await fleet.start({ roles: 'worker' });
    await more();
    expect(await fleet.stop(newWorker)).toBe(0);
    await more();
    // Upgrade again in the wrong order, with the new worker killed too.
    const early = await fleet.start({ roles: 'api', main: newer.main });
    await more();
    await fleet.kill(api);
    await more();
    const killed = await fleet.start({ roles: 'worker', main: newer.main });
    await fleet.kill(worker);
    await more();
    await fleet.start({ roles: 'worker' });
    await fleet.kill(killed);
    await more();
    expect(early.process.output()).not.toMatch(/cannot be folded|read model '\S+' could not process/);
    await nothingIsLost();
    const log = await recorded();
    expect(log.get('FunctionPainted')?.length).toBeGreaterThan(0);
    expect(log.get('MailhookPainted')?.length).toBeGreaterThan(0);
  }, 600_000);

  it('work together with clocks ten minutes apart, and take over from one another', async () => {
    const ahead = { clockAheadMs: 600_000 };
    const worker = await fleet.start({ roles: 'worker' });
    const api = await fleet.start({ roles: 'api', ...ahead });
    await load.begin();
    await more();
    const other = await fleet.start({ roles: 'worker', ...ahead });
    await fleet.kill(worker);
    await more();
    await fleet.start({ roles: 'api' });
    await more();
    expect(await fleet.stop(api)).toBe(0);
    await fleet.start({ roles: 'worker' });
    expect(await fleet.stop(other)).toBe(0);
    await more();
    await nothingIsLost();
  }, 600_000);
});

describe('processes restarted one after the other', () => {
  it('lose no call behind a balancer that checks /readyz and repeats nothing', async () => {
    const patient = { SHUTDOWN_DELAY_SECONDS: '10' };
    let worker = await fleet.start({ roles: 'worker' });
    let api = await fleet.start({ roles: 'api', environment: patient });
    const made = await api.process.call('automations/createFunction', { name: 'called', code: 'return 1' });
    await api.process.call('automations/updateFunction', { id: made.body.id, isActive: true });
    const { body } = await api.process.call('automations/createWebhook', { functionId: made.body.id });
    const balanced = new Set([api]);
    const lost: string[] = [];
    let answered = 0;
    let going = true;
    const caller = async (headers: Readonly<Record<string, string>>, right: number) => {
      while (going) {
        const [one] = [...balanced].slice(answered % balanced.size);
        const path = `/api/automations/functions/webhook/${body.token}`;
        const reply = await one?.process
          .post(path, {}, headers)
          .catch((error: unknown) => ({ status: 0, body: error }));
        if (reply?.status === right) answered += 1;
        else lost.push(`${reply?.status} ${String(reply?.body)}`);
        await takes(20);
      }
    };
    const callers = [caller({}, 200), caller({}, 200), caller({ prefer: 'respond-async' }, 202)];
    for (let round = 0; round < 3; round += 1) {
      const [next, nextWorker] = [
        await fleet.start({ roles: 'api', environment: patient }),
        await fleet.start({ roles: 'worker' }),
      ];
      balanced.add(next);
      const leaving = api;
      const ended = fleet.stop(leaving);
      await eventually(
        () => fetch(`${leaving.process.url}/readyz`),
        ({ status }) => status === 503,
      );
      balanced.delete(leaving);
      expect(await ended).toBe(0);
      expect(await fleet.stop(worker)).toBe(0);
      [api, worker] = [next, nextWorker];
    }
    going = false;
    await Promise.all(callers);
    expect(lost).toEqual([]);
    expect(answered).toBeGreaterThan(20);
  }, 600_000);
});
