import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SchedulerRegistry } from '@nestjs/schedule';
import { projections } from '../../../projections/projections.js';
import { emptyLedger } from '../../../src/areas/triggers/schedule/occurrence-journal.js';
import type { Schedule } from '../../../src/areas/triggers/schedule/schedule.record.js';
import { ScheduleClockwork } from '../../../src/areas/triggers/schedule/schedule-clockwork.js';
import { ScheduleSettling } from '../../../src/areas/triggers/schedule/schedule-settling.js';
import { runCommand } from '../../../src/cli/commands.js';
import { Reads } from '../../../src/engine/scopes/reads.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { Gate } from '../../support/automations/gate.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { allowingLoopback } from '../../support/mail/mailboxes.js';
import { done } from '../../support/people.js';

const minute = 60_000;
const hour = 60 * minute;

let app: TestApp;
const clock = new MadeUpClock();
beforeAll(async () => {
  app = await startApp({ environment: allowingLoopback, replacements: [{ provide: Clock, useValue: clock }] });
});
beforeEach(() => clock.set(Date.parse('2026-03-28T12:00:30Z')));
afterEach(async () => {
  // Deleting a function deletes its schedules.
  for (const { id } of await done(app, 'automations/listFunctions'))
    await done(app, 'automations/deleteFunction', { id });
  for (const id of created.splice(0)) await registered(id, false);
});
afterAll(() => app.close());

interface Run {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly startedAt: string;
  readonly scheduleId: string;
  readonly source: string;
  readonly startedBy: string;
}

async function functionOf(code = 'console.log(JSON.stringify(params)); return 1', more: object = {}): Promise<string> {
  const { id } = await done(app, 'automations/createFunction', { name: 'Report', code, ...more });
  await done(app, 'automations/updateFunction', { id, isActive: true });
  return id;
}
const created: string[] = [];
async function create(functionId: string, cronExpression: string, more: object = {}): Promise<string> {
  const { id } = await done(app, 'automations/createSchedule', { functionId, cronExpression, ...more });
  created.push(id);
  return id;
}
const runsOf = async (functionId: string): Promise<readonly Run[]> =>
  done(app, 'automations/listRuns', { functionId, limit: 200 });
const ended = ({ status }: Run) => status === 'success' || status === 'error';
const runs = (functionId: string, count: number) =>
  eventually(
    () => runsOf(functionId),
    (list) => list.length >= count && list.every(ended),
    // Long enough for the growing pauses of a log reader after failures.
    30_000,
  );

/** Waits for runs and moves the fake clock on, because failed work is retried after a pause. */
async function endedInTime(functionId: string, count: number): Promise<void> {
  let passed = 0;
  const ask = () => {
    // At most two seconds per call, so that nothing else falls due.
    if (passed < 2_000) clock.advance(100);
    passed += 100;
    return runsOf(functionId);
  };
  await eventually(ask, (list) => list.length >= count && list.every(ended), 30_000);
}

const listed = async (functionId: string) =>
  (await done(app, 'automations/listTriggers', { functionId })).schedules[0] as Record<string, unknown>;

async function journalOf(scheduleId: string) {
  const { id } = await done(app, 'workspace/getWorkspace');
  return app.app.get(EventStore).readStream(streamOf('occurrence', id, scheduleId));
}
const settled = async (scheduleId: string) =>
  (await journalOf(scheduleId)).map(({ type, data }) => {
    const { dueAt, count } = data as { dueAt?: string; count?: number };
    return `${type} ${dueAt?.slice(0, 16) ?? count}`;
  });
const settles = (scheduleId: string, count: number) =>
  eventually(
    () => {
      // The journal may show an occurrence before the timer of the next is set.
      clock.advance(1);
      return settled(scheduleId);
    },
    (list) => list.length >= count,
  );

/** Lets the scheduler finish its round, and then another at a later time. */
async function tick(): Promise<void> {
  await roundEnded();
  clock.advance(1_000);
  await roundEnded();
}
const roundEnded = () => app.app.get(ScheduleClockwork)['round'];

/** Waits until the scheduler has registered the schedule, or has removed it. */
const registered = (id: string, wanted = true) =>
  eventually(
    async () => app.app.get(SchedulerRegistry).doesExist('cron', `schedule/${id}`),
    (is) => is === wanted,
  );

describe('a schedule', () => {
  it('runs its function when it is due, with what and when, and lists its last and next time', async () => {
    const functionId = await functionOf();
    const scheduleId = await create(functionId, '*/5 * * * *');
    await registered(scheduleId);
    clock.advance(4 * minute + 29_999);
    await tick();
    expect(await settled(scheduleId)).toEqual(['OccurrenceFired 2026-03-28T12:05']);
    const [run] = await runs(functionId, 1);
    expect(run).toMatchObject({
      status: 'success',
      scheduleId,
      source: 'schedule',
      startedBy: 'Schedule Report (*/5 * * * *)',
    });
    const { lines } = await done(app, 'automations/getRunLog', { runId: run?.id });
    const { lastTriggered, nextTrigger } = await listed(functionId);
    expect(JSON.parse(lines[0].text)).toEqual({ _schedule: { id: scheduleId, firedAt: lastTriggered } });
    expect([lastTriggered, nextTrigger]).toEqual(['2026-03-28T12:05:00.999Z', '2026-03-28T12:10:00.000Z']);
  });

  it('passes its identity to the code', async () => {
    const functionId = await functionOf('console.log(JSON.stringify(ctx.run.startedBy))');
    const id = await create(functionId, '* * * * *');
    clock.advance(minute);
    const [run] = await runs(functionId, 1);
    const { lines } = await done(app, 'automations/getRunLog', { runId: run?.id });
    expect(JSON.parse(lines[0].text)).toEqual({ kind: 'schedule', id, name: 'Report (* * * * *)' });
  });

  it('passes params that fit an inputSchema without schedule fields, and makes a failed run if they do not', async () => {
    const inputSchema = { type: 'object', properties: {}, additionalProperties: false };
    const functionId = await functionOf('return 1', { toolSpec: { inputSchema } });
    await create(functionId, '* * * * *');
    clock.advance(minute);
    expect(await runs(functionId, 1)).toMatchObject([{ status: 'success' }]);
    const { updatedAt } = await done(app, 'automations/getFunction', { id: functionId });
    const toolSpec = { inputSchema: { ...inputSchema, required: ['to'] } };
    await done(app, 'automations/updateFunction', { id: functionId, toolSpec, seenUpdatedAt: updatedAt });
    const { versions } = await done(app, 'automations/listFunctionVersions', { functionId });
    if (versions[0]?.state === 'draft') {
      await done(app, 'automations/publishFunction', { id: functionId, versionId: versions[0].id });
    }
    clock.advance(minute);
    const [run] = await runs(functionId, 2);
    expect(run).toMatchObject({ status: 'error', error: expect.stringContaining('to') });
  });

  it("of an inactive function makes failed runs: 'target is INACTIVE'", async () => {
    const functionId = await functionOf();
    await create(functionId, '* * * * *');
    await done(app, 'automations/updateFunction', { id: functionId, isActive: false });
    clock.advance(minute);
    const [run] = await runs(functionId, 1);
    expect(run).toMatchObject({ status: 'error', error: expect.stringContaining('target is INACTIVE') });
  });

  it('registers a cron job while it is on, and does not fire once it is off', async () => {
    const functionId = await functionOf();
    const id = await create(functionId, '* * * * *');
    await registered(id);
    await done(app, 'automations/setScheduleActive', { id, isActive: false });
    await registered(id, false);
    clock.advance(minute);
    await tick();
    expect(await settled(id)).toEqual([]);
    await done(app, 'automations/setScheduleActive', { id, isActive: true });
    await registered(id);
    clock.advance(minute);
    expect(await settles(id, 1)).toEqual(['OccurrenceFired 2026-03-28T12:02']);
    await done(app, 'automations/deleteSchedule', { id });
    await registered(id, false);
    clock.advance(minute);
    await tick();
    expect(await settled(id)).toHaveLength(1);
  });

  it('is not fired by a scheduler that has not learned yet that it was switched off or deleted', async () => {
    const functionId = await functionOf();
    const id = await create(functionId, '* * * * *');
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const known = await app.app.get(Reads).get<Schedule>(workspaceId, 'schedules', id);
    if (known === undefined) throw new Error('The schedule is not there.');
    await done(app, 'automations/setScheduleActive', { id, isActive: false });
    clock.advance(minute);
    const settle = () => app.app.get(ScheduleSettling).settle(known, emptyLedger);
    expect(await settle()).toEqual({ schedule: undefined, state: emptyLedger });
    await done(app, 'automations/deleteSchedule', { id });
    expect(await settle()).toEqual({ schedule: undefined, state: emptyLedger });
    expect(await settled(id)).toEqual([]);
  });

  it('switched on again does not catch up on missed times', async () => {
    const functionId = await functionOf();
    const id = await create(functionId, '0 * * * *');
    await done(app, 'automations/setScheduleActive', { id, isActive: false });
    clock.advance(3 * hour + 2 * minute);
    await done(app, 'automations/setScheduleActive', { id, isActive: true });
    await registered(id);
    await tick();
    expect(await listed(functionId)).toMatchObject({ missed: null, nextTrigger: '2026-03-28T16:00:00.000Z' });
    clock.advance(hour);
    expect(await settles(id, 1)).toEqual(['OccurrenceFired 2026-03-28T16:00']);
  });

  it('fires by the local time of its zone, through the night of a clock change', async () => {
    const functionId = await functionOf();
    const id = await create(functionId, '30 2 * * *', { timezone: 'Europe/Berlin' });
    await registered(id);
    for (let step = 0; step < 40; step += 1) {
      clock.advance(hour);
      await tick();
    }
    // Each step is an hour, near the half hour, so each occurrence is noticed within the five minutes for late firing.
    expect((await settled(id)).length).toBe(2);
    expect((await listed(functionId))['nextTrigger']).toBe('2026-03-31T00:30:00.000Z');
  });
});

describe('when the clock is set', () => {
  it('back an hour, nothing is done twice, and it continues where it was', async () => {
    const functionId = await functionOf();
    const id = await create(functionId, '* * * * *');
    clock.advance(minute);
    await settles(id, 1);
    clock.advance(minute);
    await settles(id, 2);
    clock.set(clock.now() - hour);
    for (let passed = 0; passed < 62; passed += 1) {
      clock.advance(minute);
      await roundEnded();
    }
    await tick();
    const journal = await settles(id, 4);
    expect(journal).toEqual([
      'OccurrenceFired 2026-03-28T12:01',
      'OccurrenceFired 2026-03-28T12:02',
      'OccurrenceFired 2026-03-28T12:03',
      'OccurrenceFired 2026-03-28T12:04',
    ]);
    expect(await runs(functionId, 4)).toHaveLength(4);
  });

  it('forward, as after a sleep, occurrences older than five minutes are missed, as one record, and the rest fires', async () => {
    const functionId = await functionOf();
    const id = await create(functionId, '* * * * *');
    await registered(id);
    clock.set(Date.parse('2026-03-28T20:00:10Z'));
    await tick();
    expect(await settles(id, 6)).toEqual([
      'OccurrencesMissed 475',
      ...[56, 57, 58, 59].map((at) => `OccurrenceFired 2026-03-28T19:${at}`),
      'OccurrenceFired 2026-03-28T20:00',
    ]);
    expect(await listed(functionId)).toMatchObject({
      missed: { count: 475, lastAt: '2026-03-28T19:55:00.000Z' },
      lastTriggered: expect.stringContaining('2026-03-28T20:00'),
    });
    expect(await runs(functionId, 5)).toHaveLength(5);
  });
});

/** Stops the scheduler. */
const nothingRuns = () => app.app.get(ScheduleClockwork).duty().stop();

describe('an occurrence that fell due while nothing was running', () => {
  it('fires once late at the next start if it is at most five minutes old', async () => {
    const functionId = await functionOf();
    const id = await create(functionId, '0 13 * * *');
    await registered(id);
    // Makes failed runs, which need no process.
    await done(app, 'automations/updateFunction', { id: functionId, isActive: false });
    clock.advance(hour - 31_000);
    await nothingRuns();
    clock.advance(5 * minute);
    app = await app.restart();
    await registered(id);
    await tick();
    expect(await settles(id, 1)).toEqual(['OccurrenceFired 2026-03-28T13:00']);
    expect(await runs(functionId, 1)).toHaveLength(1);
    app = await app.restart();
    await registered(id);
    await tick();
    expect(await settled(id)).toHaveLength(1);
    expect(await runsOf(functionId)).toHaveLength(1);
  });

  it('is recorded as missed if it is older, and not run', async () => {
    const functionId = await functionOf();
    const id = await create(functionId, '0 13 * * *');
    await registered(id);
    await nothingRuns();
    clock.advance(50 * hour);
    app = await app.restart();
    await registered(id);
    await tick();
    expect(await settles(id, 1)).toEqual(['OccurrencesMissed 3']);
    expect(await listed(functionId)).toMatchObject({
      missed: { count: 3, lastAt: '2026-03-30T13:00:00.000Z' },
      lastTriggered: null,
      nextTrigger: '2026-03-31T13:00:00.000Z',
    });
    expect(await runsOf(functionId)).toEqual([]);
    const text = await (await fetch(`${app.url}/metrics`)).text();
    expect(text).toContain('countersign_schedule_occurrences_total{outcome="missed"} 3');
  });
});

describe('while the previous run is in progress', () => {
  let gate: Gate;
  beforeEach(async () => {
    gate = await Gate.start();
  });
  afterEach(() => gate.close());

  it("an occurrence is skipped with overlap 'skip', and recorded as such", async () => {
    const functionId = await functionOf(gate.code);
    const id = await create(functionId, '* * * * *', { overlap: 'skip' });
    clock.advance(minute);
    await eventually(
      () => runsOf(functionId),
      ([run]) => run?.status === 'running',
    );
    clock.advance(minute);
    expect(await settles(id, 2)).toEqual(['OccurrenceFired 2026-03-28T12:01', 'OccurrenceSkipped 2026-03-28T12:02']);
    gate.isOpen = true;
    expect(await runs(functionId, 1)).toHaveLength(1);
    clock.advance(minute);
    expect((await settles(id, 3)).at(-1)).toBe('OccurrenceFired 2026-03-28T12:03');
    expect(await runs(functionId, 2)).toHaveLength(2);
  });

  it("another run is started with overlap 'allow'", async () => {
    const functionId = await functionOf(gate.code);
    const id = await create(functionId, '* * * * *');
    clock.advance(minute);
    await eventually(
      () => runsOf(functionId),
      ([run]) => run?.status === 'running',
    );
    clock.advance(minute);
    expect((await settles(id, 2)).at(-1)).toBe('OccurrenceFired 2026-03-28T12:02');
    gate.isOpen = true;
    expect(await runs(functionId, 2)).toHaveLength(2);
  });
});

it('journals are pruned as they grow, and rebuilt read models are equal', async () => {
  const functionId = await functionOf('return 1');
  const id = await create(functionId, '* * * * *');
  await done(app, 'automations/updateFunction', { id: functionId, isActive: false });
  for (let fired = 5; fired <= 70; fired += 5) {
    clock.advance(5 * minute);
    await eventually(
      () => {
        // The journal may show an occurrence before the timer of the next is set.
        clock.advance(1);
        return journalOf(id);
      },
      (journal) => journal.at(-1)?.revision === fired - 1,
    );
    if (fired % 10 === 0) await endedInTime(functionId, fired);
  }
  expect((await journalOf(id)).length).toBeLessThanOrEqual(64);
  const lines: string[] = [];
  const out = { out: (line: string) => lines.push(line), error: () => {} };
  await runCommand(['projections:verify'], { DATA_DIR: app.dataDir }, out);
  expect(lines).toHaveLength(projections.length);
  expect(lines.filter((line) => !line.includes(': equal at position'))).toEqual([]);
}, 120_000);
