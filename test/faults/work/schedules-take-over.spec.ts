import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { untilTime } from '../../support/clocks/delays.js';
import { type Engines, startEngines } from '../../support/engines.js';
import { eventually } from '../../support/eventually.js';
import { masterKey } from '../../support/processes.js';
import { ownerKey, type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

const minute = 60_000;
const count = 20;

let engines: Engines;
let directory: string;
let started: ServiceProcess[];
beforeEach(async () => {
  engines = await startEngines();
  directory = mkdtempSync(join(tmpdir(), 'schedules-take-over-'));
  started = [];
}, 60_000);
afterEach(async () => {
  await Promise.all(started.map((process) => process.end('SIGKILL')));
  await engines.close();
  rmSync(directory, { recursive: true, force: true });
}, 60_000);

async function start(ROLES: string): Promise<ServiceProcess> {
  const settings = { ...engines.environment, MASTER_KEY: masterKey, BOOTSTRAP_OWNER_KEY: ownerKey };
  const made = await startServiceProcess({ dataDir: directory, environment: { ...settings, ROLES } });
  started.push(made);
  return made;
}

it('a scheduler killed at the instant at which schedules are due loses none of them and fires none twice', async () => {
  const first = await start('projections,sagas,runner,scheduler');
  const [, api] = await Promise.all([start('projections,sagas,runner,scheduler'), start('api')]);
  const functionId = (await api.call('automations/createFunction', { name: 'due', code: 'return 1' })).body.id;
  await api.call('automations/updateFunction', { id: functionId, isActive: true });
  // Begins early enough in a minute that all schedules exist before it ends.
  const into = Date.now() % minute;
  if (into > 40_000) await untilTime(Date.now() + minute - into + 500);
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    ids.push((await api.call('automations/createSchedule', { functionId, cronExpression: '* * * * *' })).body.id);
  }
  const due = Math.ceil(Date.now() / minute) * minute;
  await untilTime(due + 5);
  await first.end('SIGKILL');
  const runs = await eventually(
    async () => (await api.call('automations/listRuns', { functionId, limit: 200 })).body,
    (list) => list.length >= 2 * count && list.every(({ status }: { status: string }) => status === 'success'),
    150_000,
  );
  for (const id of ids) {
    const own = runs.filter(({ scheduleId }: { scheduleId: string }) => scheduleId === id);
    expect(own.length).toBeGreaterThanOrEqual(2);
    expect(own.length).toBeLessThanOrEqual(1 + Math.floor((Date.now() - due) / minute));
  }
}, 300_000);
