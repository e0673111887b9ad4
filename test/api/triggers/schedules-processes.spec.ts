import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { ScheduleClockwork } from '../../../src/areas/triggers/schedule/schedule-clockwork.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { type Processes, startProcesses } from '../../support/processes.js';

const minute = 60_000;
const hour = 60 * minute;
const workerRoles = 'projections,sagas,runner,scheduler,mail-in';

let processes: Processes;
let clock: SettableClock;
beforeEach(async () => {
  processes = await startProcesses();
  clock = new SettableClock();
}, 60_000);
afterEach(() => processes.close(), 60_000);

const start = (roles: string) => processes.start(roles, {}, [{ provide: Clock, useValue: clock }]);

it('a recorded firing is run once if the process that recorded it died before handing it over', async () => {
  const scheduler = await start('projections,scheduler');
  const api = await start('api');
  const { id: workspaceId } = await done(api, 'workspace/getWorkspace');
  const { id: functionId } = await done(api, 'automations/createFunction', { name: 'due', code: 'return 1' });
  await done(api, 'automations/updateFunction', { id: functionId, isActive: true });
  const { id } = await done(api, 'automations/createSchedule', { functionId, cronExpression: '0 * * * *' });
  clock.set(Math.ceil(clock.now() / hour) * hour - 300);
  const journal = streamOf('occurrence', workspaceId, id);
  await eventually(
    () => api.app.get(EventStore).readStream(journal),
    (events) => events.length === 1,
  );
  expect(await done(api, 'automations/listRuns', { functionId })).toEqual([]);
  await start('projections,sagas,runner');
  await scheduler.close();
  const runs = await eventually(
    () => done(api, 'automations/listRuns', { functionId }),
    ([run]) => run?.status === 'success',
    20_000,
  );
  expect(runs).toMatchObject([{ scheduleId: id, attempt: 1 }]);
}, 120_000);

it('two processes that both believe they hold the lease fire each occurrence once, even when the clock is set back', async () => {
  const [one, two, api] = [await start(workerRoles), await start(workerRoles), await start('api')];
  const { id: workspaceId } = await done(api, 'workspace/getWorkspace');
  const { id: functionId } = await done(api, 'automations/createFunction', { name: 'due', code: 'return 1' });
  await done(api, 'automations/updateFunction', { id: functionId, isActive: true });
  const ids: string[] = [];
  for (let n = 0; n < 10; n += 1) {
    const { id } = await done(api, 'automations/createSchedule', { functionId, cronExpression: '* * * * *' });
    ids.push(id);
  }
  // Both processes run the scheduler, whichever of them has the lease.
  for (const app of [one, two]) await app.app.get(ScheduleClockwork).duty().start();
  const journals = () =>
    Promise.all(ids.map((id) => api.app.get(EventStore).readStream(streamOf('occurrence', workspaceId, id))));
  const firedUpTo = (instant: number) =>
    eventually(
      journals,
      (all) =>
        all.every((events) => events.some(({ data }) => Date.parse((data as { dueAt: string }).dueAt) >= instant)),
      30_000,
    );
  const begin = Math.ceil(clock.now() / minute) * minute;
  for (let n = 0; n < 3; n += 1) {
    clock.set(begin + n * minute - 300);
    await firedUpTo(begin + n * minute);
  }
  clock.set(begin - 300);
  // A new schedule fires at the minute at which all others have fired already. If they fired again, they would do so
  // before it.
  const { id: later } = await done(api, 'automations/createSchedule', { functionId, cronExpression: '* * * * *' });
  clock.set(begin + minute - 300);
  const { length: fired } = await eventually(
    () => api.app.get(EventStore).readStream(streamOf('occurrence', workspaceId, later)),
    (events) =>
      (events.at(-1)?.data as { dueAt?: string } | undefined)?.dueAt === new Date(begin + minute).toISOString(),
    30_000,
  );
  for (const events of await journals()) {
    const due = events.map(({ data }) => (data as { dueAt: string }).dueAt);
    expect(due).toEqual([0, 1, 2].map((n) => new Date(begin + n * minute).toISOString()));
  }
  const runs = await eventually(
    () => done(api, 'automations/listRuns', { functionId, limit: 200 }),
    (list) => list.length >= 30 + fired && list.every(({ status }: { status: string }) => status === 'success'),
    30_000,
  );
  expect(runs).toHaveLength(30 + fired);
  expect(runs.map(({ attempts }: { attempts: unknown[] }) => attempts.length)).toEqual(Array(30 + fired).fill(1));
}, 120_000);
