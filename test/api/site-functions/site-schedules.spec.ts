import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { OccurrenceLedger } from '../../../src/areas/triggers/schedule/occurrence.record.js';
import { OperatorPlans } from '../../../src/areas/workspace/workspace/operator-plans.api.js';
import type { Plan } from '../../../src/areas/workspace/workspace/workspace.record.js';
import { Reads } from '../../../src/engine/scopes/reads.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { type OutsideApp, sharedStandingTime } from '../../support/shared-outside.js';

const minute = 60_000;
const hour = 60 * minute;
let app: OutsideApp<MadeUpClock>;
let clock: MadeUpClock;
let projectId: string;
beforeAll(async () => {
  app = await sharedStandingTime(Date.parse('2026-03-02T12:00:30Z'));
  ({ clock } = app);
}, 60_000);
afterAll(() => app.close(), 60_000);
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Timed' })).id;
});

type Row = Record<string, unknown> & { readonly id: string };
let made = 0;
const daily = { cronExpression: '0 3 * * *' };
const call = (operation: string, body: object, key?: string) => app.call(`site/${operation}`, body, key);
const list = (key?: string): Promise<readonly Row[]> => done(app, 'site/listSchedules', { projectId }, key);
const update = (id: string, body: object): Promise<Row> => done(app, 'site/updateSchedule', { projectId, id, ...body });
const answer = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.code];
};
const problems = async (reply: ReturnType<typeof call>) =>
  (await reply).body.errors?.map(({ path }: { path: string }) => path);
const settings = (body: object) => done(app, 'workspace/updateSettings', body);
async function plan(wanted: Plan): Promise<void> {
  const { id } = await done(app, 'workspace/getWorkspace');
  await app.app.get(OperatorPlans, { strict: false }).set(id, wanted);
}

/** Code that logs its input. */
const says = 'console.log(JSON.stringify(params)); return 1';
async function siteFunction(
  name = `fn_${made++}`,
  code = says,
): Promise<{ readonly id: string; readonly name: string }> {
  return done(app, 'site/createBackendFunction', { projectId, name, code });
}
async function accountFunction(name = `Account ${made++}`): Promise<{ readonly id: string; readonly name: string }> {
  const { id } = await done(app, 'automations/createFunction', { name, code: says });
  await done(app, 'automations/updateFunction', { id, isActive: true });
  return { id, name };
}
const scheduled = async (body: object = {}): Promise<Row> => {
  const functionName =
    'functionName' in body || 'targetKind' in body ? {} : { functionName: (await siteFunction()).name };
  clock.advance(1);
  return done(app, 'site/createSchedule', { projectId, ...daily, ...functionName, ...body });
};
/** The ended runs of a schedule, newest first. */
const siteRuns = async (scheduleId: string): Promise<readonly Row[]> =>
  (await done(app, 'site/listFunctionRuns', { projectId, scheduleId })).runs;
/** Waits until the schedule has this number of runs. Oldest first. */
const runs = (scheduleId: string, count: number) =>
  eventually(
    async () => {
      // The scheduler may have set its next timer only after the last advance of the clock.
      clock.advance(1);
      return [...(await siteRuns(scheduleId))].reverse();
    },
    (found) => found.length >= count,
    15_000,
  );
/** Waits until the schedule has skipped this number of occurrences. */
const passedOver = async (scheduleId: string, count: number) => {
  const { id } = await done(app, 'workspace/getWorkspace');
  await eventually(
    () => {
      clock.advance(1);
      return app.app.get(Reads).get<OccurrenceLedger>(id, 'occurrences', scheduleId);
    },
    (ledger) => (ledger?.skipped ?? 0) >= count,
    15_000,
  );
};
const said = async (runId: unknown) =>
  JSON.parse((await done(app, 'automations/getRunLog', { runId })).lines[0].text) as Record<string, unknown>;

describe('createSchedule', () => {
  it('creates a schedule of a site function, active, in UTC', async () => {
    const fn = await siteFunction('nightly');
    const schedule = await scheduled({ functionName: 'nightly', name: 'At night', params: { size: 3 } });
    expect(schedule).toEqual({
      id: expect.stringMatching(/^sch_/),
      name: 'At night',
      functionId: fn.id,
      functionName: 'nightly',
      targetKind: 'site_function',
      targetRef: fn.id,
      cronExpression: '0 3 * * *',
      timezone: 'UTC',
      params: { size: 3 },
      isActive: true,
      lastRunAt: null,
      nextRunAt: expect.stringMatching(/T03:00:00.000Z$/),
      blocked: null,
      overlap: 'allow',
      missed: null,
    });
    expect(await list()).toEqual([schedule]);
  });

  it('can create an inactive one, which has no next time', async () => {
    const schedule = await scheduled({ isActive: false, timezone: 'Europe/Stockholm', overlap: 'skip' });
    expect(schedule).toMatchObject({ isActive: false, nextRunAt: null, timezone: 'Europe/Stockholm', overlap: 'skip' });
  });

  it('can have an account function as target if that is switched on', async () => {
    const fn = await accountFunction();
    const target = { targetKind: 'account_function', targetRef: fn.id };
    const schedule = await scheduled(target);
    expect(schedule).toMatchObject({ ...target, functionId: null, functionName: fn.name, blocked: null });
    await settings({ accountFunctionScheduleTargets: false });
    try {
      const refused = await call('createSchedule', { projectId, ...daily, ...target });
      expect([refused.status, refused.body.code]).toEqual([403, 'account-schedules-off']);
      expect(refused.body.detail).toContain('accountFunctionScheduleTargets');
      expect(await list()).toEqual([
        expect.objectContaining({ id: schedule.id, isActive: true, nextRunAt: null, blocked: refused.body.detail }),
      ]);
      expect(await scheduled()).toMatchObject({ blocked: null });
    } finally {
      await settings({ accountFunctionScheduleTargets: true });
    }
  });

  it('requires one target, and reports faults of expression, zone and params', async () => {
    const { name: functionName } = await siteFunction();
    const target = { targetKind: 'account_function', targetRef: 'fn_1' };
    const tries: readonly (readonly [object, string[]])[] = [
      [{ ...daily }, ['functionName']],
      [{ ...daily, functionName, ...target }, ['functionName']],
      [{ ...daily, targetKind: 'account_function' }, ['targetRef']],
      [{ ...daily, targetRef: 'fn_1' }, ['targetKind']],
      [{ ...daily, targetKind: 'site_function', targetRef: 'fn_1' }, ['targetKind']],
      [{ functionName }, ['cronExpression']],
      [{ functionName, cronExpression: '* * *', timezone: 'Mars/Base' }, ['cronExpression', 'timezone']],
      [{ ...daily, functionName, params: { _schedule: 1 } }, ['params._schedule']],
      [{ ...daily, functionName, params: { big: 'x'.repeat(17_000) } }, ['params']],
      [{ ...daily, functionName, name: 'a\nb' }, ['name']],
      [{ ...daily, functionName, seconds: 1 }, ['seconds']],
    ];
    for (const [body, paths] of tries)
      expect(await problems(call('createSchedule', { projectId, ...body }))).toEqual(paths);
    expect(await list()).toEqual([]);
  });

  it("finds no function of another site, no name in another case, and no other workspace's site", async () => {
    const { name: functionName, id } = await siteFunction('tidy');
    const other = (await done(app, 'site/createProject', { name: 'Other' })).id;
    const create = (body: object) => answer(call('createSchedule', { projectId, ...daily, functionName, ...body }));
    expect(await create({ projectId: other })).toEqual([404, 'target-not-found']);
    expect(await create({ functionName: 'Tidy' })).toEqual([404, 'target-not-found']);
    expect(await create({ functionName: id })).toEqual([404, 'target-not-found']);
    expect(await create({ projectId: 'proj_none' })).toEqual([404, 'site-not-found']);
    const account = { functionName: undefined, targetKind: 'account_function', targetRef: id };
    expect(await create(account)).toEqual([404, 'target-not-found']);
    const stranger = (await otherWorkspace(app)).ownerKey;
    expect((await call('listSchedules', { projectId }, stranger)).status).toBe(404);
  });

  it('is refused on the plan free; existing ones remain listed, with the reason why they start nothing', async () => {
    const { id } = await scheduled({ cronExpression: '* * * * *' });
    const { name: functionName } = await siteFunction();
    await plan('free');
    try {
      const refused = await call('createSchedule', { projectId, ...daily, functionName });
      expect(refused.body).toMatchObject({ status: 403, code: 'plan-limit', upgradeUrl: expect.any(String) });
      const blocked = expect.stringContaining('The plan free includes no schedules of sites');
      expect(await list()).toEqual([expect.objectContaining({ id, isActive: true, blocked, nextRunAt: null })]);
      clock.advance(3 * minute);
      await passedOver(id, 3);
      expect(await update(id, { name: 'Renamed' })).toMatchObject({ name: 'Renamed', blocked });
    } finally {
      await plan('pro');
    }
    expect(await list()).toEqual([expect.objectContaining({ id, blocked: null, lastRunAt: null })]);
    clock.advance(minute);
    const [first, ...more] = await runs(id, 1);
    expect([first?.['status'], more]).toEqual(['success', []]);
  });

  it('is refused to Viewers and read-only keys, which can list, and deletion to a key that never deletes', async () => {
    const { id, functionName } = await scheduled();
    const viewer = (await person(app, 'viewer')).key;
    const { id: memberId } = await person(app, 'editor');
    const readOnly = await keyOf(app, { kind: 'person', memberId, readOnly: true });
    const keeping = await keyOf(app, { kind: 'person', memberId, neverDeletes: true });
    for (const key of [viewer, readOnly]) {
      expect(await list(key)).toHaveLength(1);
      expect((await call('createSchedule', { projectId, ...daily, functionName }, key)).status).toBe(403);
      expect((await call('updateSchedule', { projectId, id, isActive: false }, key)).status).toBe(403);
      expect((await call('deleteSchedule', { projectId, id }, key)).status).toBe(403);
    }
    expect(await answer(call('deleteSchedule', { projectId, id }, keeping))).toEqual([403, 'key-never-deletes']);
  });
});

describe('updateSchedule and deleteSchedule', () => {
  it('change sent fields and keep the rest; isActive is set as sent', async () => {
    const before = await scheduled({ name: 'One', params: { a: 1 } });
    expect(await update(before.id, {})).toEqual(before);
    expect(await update(before.id, { isActive: false })).toEqual({ ...before, isActive: false, nextRunAt: null });
    const changed = { cronExpression: '0 4 * * *', timezone: 'Asia/Tokyo', name: 'Two', params: { b: 2 } };
    const after = await update(before.id, { ...changed, isActive: true });
    expect(after).toEqual({ ...before, ...changed, nextRunAt: expect.stringMatching(/T19:00:00.000Z$/) });
    expect(await list()).toEqual([after]);
  });

  it('can change the target to another function of the same kind', async () => {
    const [one, two] = [await scheduled(), await siteFunction()];
    expect(await update(one.id, { functionName: two.name })).toMatchObject({
      functionId: two.id,
      functionName: two.name,
    });
    const [first, second] = [await accountFunction(), await accountFunction()];
    const other = await scheduled({ targetKind: 'account_function', targetRef: first.id });
    expect(await update(other.id, { functionName: second.name })).toMatchObject({ targetRef: second.id });
    const refused = call('updateSchedule', { projectId, id: other.id, functionName: two.name });
    expect(await answer(refused)).toEqual([404, 'target-not-found']);
  });

  it('find a schedule in its own site only, and validate like createSchedule', async () => {
    const { id } = await scheduled();
    const other = (await done(app, 'site/createProject', { name: 'Other' })).id;
    for (const operation of ['updateSchedule', 'deleteSchedule']) {
      expect(await answer(call(operation, { projectId: other, id }))).toEqual([404, 'schedule-not-found']);
      expect(await answer(call(operation, { projectId, id: 'sch_none' }))).toEqual([404, 'schedule-not-found']);
    }
    const wrong = { cronExpression: '61 * * * *', timezone: 'x', params: { _schedule: 1 } };
    expect(await problems(call('updateSchedule', { projectId, id, ...wrong }))).toEqual([
      'cronExpression',
      'timezone',
      'params._schedule',
    ]);
    await done(app, 'site/deleteSchedule', { projectId, id });
    expect(await list()).toEqual([]);
  });

  it('are found in both areas by the same id', async () => {
    const { id, name } = await siteFunction();
    const target = { targetKind: 'site_function', targetRef: id };
    const made = await done(app, 'automations/createSchedule', { ...target, ...daily });
    const own = await scheduled({ functionName: name });
    expect((await list()).map((schedule) => [schedule.id, schedule['functionName']])).toEqual([
      [made.id, name],
      [own.id, name],
    ]);
    await done(app, 'automations/setScheduleActive', { id: own.id, isActive: false });
    expect(await update(made.id, { isActive: false })).toMatchObject({ isActive: false });
    expect((await list()).map(({ isActive }) => isActive)).toEqual([false, false]);
    await done(app, 'automations/deleteSchedule', { id: own.id });
    await done(app, 'site/deleteSchedule', { projectId, id: made.id });
    expect(await list()).toEqual([]);
  });

  it("do not fire at times that passed before the new expression, nor skip any because of the former zone's clock", async () => {
    const { id } = await scheduled({ cronExpression: '0 * * * *', timezone: 'Pacific/Auckland' });
    clock.advance(hour);
    await runs(id, 1);
    const now = new Date(clock.now());
    const justPassed = `${(now.getUTCMinutes() + 59) % 60} * * * *`;
    expect(await update(id, { cronExpression: justPassed })).toMatchObject({ missed: null });
    const inAMinute = new Date(Math.ceil((clock.now() + minute) / minute) * minute);
    await update(id, {
      cronExpression: `${inAMinute.getUTCMinutes()} ${inAMinute.getUTCHours()} * * *`,
      timezone: 'UTC',
    });
    clock.advance(2 * minute);
    const found = await runs(id, 2);
    expect(found).toHaveLength(2);
    expect((await list())[0]).toMatchObject({ missed: null });
  });
});

describe('a schedule of a site', () => {
  it('passes params beside _schedule, with their state at the firing, as its runs show', async () => {
    const { id, functionId } = await scheduled({ cronExpression: '* * * * *', params: { size: 3 } });
    clock.advance(minute);
    const [run] = await runs(id, 1);
    expect(run).toMatchObject({ source: 'schedule', scheduleId: id, functionId, status: 'success', error: null });
    expect(await said(run?.id)).toEqual({ size: 3, _schedule: { id, firedAt: expect.any(String) } });
    expect((await list())[0]).toMatchObject({ lastRunAt: expect.any(String) });
  });

  it('ignores the execute rule of its function', async () => {
    const { id } = await scheduled({ cronExpression: '* * * * *' });
    clock.advance(minute);
    expect((await runs(id, 1))[0]).toMatchObject({ status: 'success' });
  });

  it('causes failed runs while its function is inactive, and shows no next time', async () => {
    const fn = await siteFunction();
    const { id } = await scheduled({ functionName: fn.name, cronExpression: '* * * * *' });
    await done(app, 'site/updateBackendFunction', { projectId, functionId: fn.id, isActive: false });
    expect((await list())[0]).toMatchObject({ isActive: true, nextRunAt: null });
    clock.advance(minute);
    const [run] = await runs(id, 1);
    expect(run).toMatchObject({ status: 'error', error: expect.stringContaining('target is INACTIVE') });
  });

  it('remains when its function is deleted, and causes failed runs without a function', async () => {
    const fn = await siteFunction('gone');
    const { id } = await scheduled({ functionName: 'gone', cronExpression: '* * * * *' });
    await done(app, 'site/deleteBackendFunction', { projectId, functionId: fn.id });
    const isGone = ([schedule]: readonly Row[]) => schedule?.['functionId'] === null;
    expect(await eventually(list, isGone)).toEqual([expect.objectContaining({ id, functionName: 'gone' })]);
    clock.advance(minute);
    const [run] = await runs(id, 1);
    expect(run).toMatchObject({
      functionId: null,
      functionName: 'gone',
      scheduleId: id,
      source: 'schedule',
      status: 'error',
      error: expect.stringContaining('gone'),
    });
    expect(await list()).toHaveLength(1);
    const { startedBy: _, ...shown } = run as Row;
    expect(await done(app, 'site/getFunctionRun', { projectId, runId: run?.id })).toEqual(shown);
  });

  it('is deleted with its site', async () => {
    const { id } = await scheduled();
    await done(app, 'site/deleteProject', { id: projectId });
    await eventually(
      () => app.call('automations/setScheduleActive', { id, isActive: false }),
      ({ status }) => status === 404,
    );
  });

  it('created in the account area starts nothing while site functions are no targets', async () => {
    const { id: targetRef } = await siteFunction();
    const target = { targetKind: 'site_function', targetRef };
    const { id } = await done(app, 'automations/createSchedule', { ...target, cronExpression: '* * * * *' });
    const own = await scheduled({ cronExpression: '* * * * *' });
    await settings({ siteFunctionTargets: false });
    try {
      expect(await answer(app.call('automations/createSchedule', { ...target, ...daily }))).toEqual([
        403,
        'site-targets-off',
      ]);
      const blocked = expect.stringContaining('siteFunctionTargets');
      expect((await list()).map((schedule) => schedule['blocked'])).toEqual([blocked, null]);
      clock.advance(minute);
      await runs(own.id, 1);
      await passedOver(id, 1);
    } finally {
      await settings({ siteFunctionTargets: true });
    }
    expect(await siteRuns(id)).toEqual([]);
    clock.advance(minute);
    expect(await runs(id, 1)).toHaveLength(1);
  });
});
