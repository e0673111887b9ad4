// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
}, 60_000);
afterAll(() => app.close(), 60_000);

let made = 0;
async function functionOf(isActive = true): Promise<string> {
  const { id } = await done(app, 'automations/createFunction', { name: `scheduled ${made++}`, code: 'return params' });
  if (isActive) await done(app, 'automations/updateFunction', { id, isActive });
  return id;
}
const create = (input: object, key?: string) =>
  app.call('automations/createSchedule', { cronExpression: '0 2 * * *', ...input }, key);
const listed = async (functionId: string) =>
  (await done(app, 'automations/listTriggers', { functionId })).schedules as Record<string, unknown>[];

describe('createSchedule', () => {
  it('answers the schedule as listTriggers shows it: active, in UTC, with its next time and no last one (Q-G03)', async () => {
    const functionId = await functionOf();
    const { status, body } = await create({ functionId });
    expect([status, body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^sch_/),
        cronExpression: '0 2 * * *',
        blocked: null,
        timezone: 'UTC',
        isActive: true,
        lastTriggered: null,
        nextTrigger: expect.stringMatching(/T02:00:00\.000Z$/),
        keepInput: true,
        overlap: 'allow',
        missed: null,
      },
    ]);
    expect(await listed(functionId)).toEqual([body]);
  });

  it('accepts a time zone and overlap, and lists them', async () => {
    const functionId = await functionOf();
    await create({ functionId, timezone: 'Asia/Kathmandu', overlap: 'skip' });
    const [schedule] = await listed(functionId);
    expect(schedule).toMatchObject({ timezone: 'Asia/Kathmandu', overlap: 'skip' });
    expect(schedule?.['nextTrigger']).toMatch(/T20:15:00\.000Z$/);
  });

  it.each([
    ['no target', {}, 'functionId'],
    ['both targets', { functionId: 'fn_1', targetKind: 'flow', targetRef: 'flow_1' }, 'functionId'],
    ['a function and a targetRef', { functionId: 'fn_1', targetRef: 'flow_1' }, 'functionId'],
    ['targetKind without targetRef', { targetKind: 'flow' }, 'targetRef'],
    ['targetRef without targetKind', { targetRef: 'flow_1' }, 'targetKind'],
    ['a targetKind that is none', { targetKind: 'account_function', targetRef: 'fn_1' }, 'targetKind'],
    ['six fields', { functionId: 'fn_1', cronExpression: '*/5 * * * * *' }, 'cronExpression'],
    ['four fields', { functionId: 'fn_1', cronExpression: '* * * *' }, 'cronExpression'],
    ['a nickname', { functionId: 'fn_1', cronExpression: '@hourly' }, 'cronExpression'],
    ['31 February', { functionId: 'fn_1', cronExpression: '0 0 31 2 *' }, 'cronExpression'],
    ['minute 60', { functionId: 'fn_1', cronExpression: '60 * * * *' }, 'cronExpression'],
    ['an empty expression', { functionId: 'fn_1', cronExpression: '' }, 'cronExpression'],
    ['a blank expression', { functionId: 'fn_1', cronExpression: '   ' }, 'cronExpression'],
    [
      'a very long expression',
      { functionId: 'fn_1', cronExpression: `${'1,'.repeat(200)}1 * * * *` },
      'cronExpression',
    ],
    ['a number for an expression', { functionId: 'fn_1', cronExpression: 5 }, 'cronExpression'],
    ['an unknown zone', { functionId: 'fn_1', timezone: 'Mars/Olympus' }, 'timezone'],
    ['an offset for a zone', { functionId: 'fn_1', timezone: '+02:00' }, 'timezone'],
    ['another overlap', { functionId: 'fn_1', overlap: 'queue' }, 'overlap'],
  ])('answers 400 with the path to %s', async (_, input, path) => {
    const { status, body } = await create(input);
    expect([status, body.code]).toEqual([400, 'invalid-input']);
    expect(body.errors.map((error: { path: string }) => error.path)).toEqual([path]);
  });

  it('reports faults of the expression and the zone together', async () => {
    const { body } = await create({ functionId: 'fn_1', cronExpression: '0 0 L * *', timezone: 'Nowhere' });
    expect(body.errors).toEqual([
      {
        path: 'cronExpression',
        message: "has the day of month 'L'; allowed are 1-31, lists, ranges, * and steps",
      },
      { path: 'timezone', message: "must be a time zone of the IANA database, e.g. 'Europe/Berlin'" },
    ]);
  });

  it('answers 404 for an unknown function, or one of another workspace', async () => {
    const functionId = await functionOf();
    const { ownerKey } = await otherWorkspace(app);
    expect((await create({ functionId: 'fn_none' })).body).toMatchObject({ code: 'target-not-found', status: 404 });
    expect((await create({ functionId }, ownerKey)).status).toBe(404);
  });

  it('accepts an inactive function, whose schedule shows no next time until it is active', async () => {
    const functionId = await functionOf(false);
    const { body } = await create({ functionId });
    expect(body).toMatchObject({ isActive: true, nextTrigger: null });
    expect(await listed(functionId)).toEqual([body]);
    await done(app, 'automations/updateFunction', { id: functionId, isActive: true });
    expect(await listed(functionId)).toMatchObject([{ nextTrigger: expect.any(String) }]);
  });

  it('refuses a site function while its switch is off, and an unknown one when it is on', async () => {
    const site = { targetKind: 'site_function', targetRef: 'sfn_1' };
    await done(app, 'workspace/updateSettings', { siteFunctionTargets: false });
    expect((await create(site)).body).toMatchObject({ status: 403, code: 'site-targets-off' });
    await done(app, 'workspace/updateSettings', { siteFunctionTargets: true });
    expect((await create(site)).body).toMatchObject({ status: 404, code: 'target-not-found' });
  });

  it('refuses one more than the maximum of a workspace, until one is deleted', async () => {
    const { ownerKey } = await otherWorkspace(app);
    const { id: functionId } = await done(app, 'automations/createFunction', { name: 'many', code: '' }, ownerKey);
    const made: string[] = [];
    for (let n = 0; n < 1_000; n += 50) {
      const some = Array.from({ length: 50 }, async () => (await create({ functionId }, ownerKey)).body.id);
      made.push(...(await Promise.all(some)));
    }
    const { status, body } = await create({ functionId }, ownerKey);
    expect([status, body.code, body.detail]).toEqual([
      409,
      'schedules-full',
      expect.stringContaining('1000 schedules'),
    ]);
    await done(app, 'automations/deleteSchedule', { id: made[0] }, ownerKey);
    expect((await create({ functionId }, ownerKey)).status).toBe(200);
  }, 120_000);

  it('is refused to a Viewer and to a read-only key, like listing; deleting to a key that never deletes', async () => {
    const functionId = await functionOf();
    const viewer = await person(app, 'viewer');
    const readOnly = await keyOf(app, { kind: 'automation', readOnly: true });
    const keeps = await keyOf(app, { kind: 'automation', neverDeletes: true });
    for (const key of [viewer.key, readOnly]) {
      expect((await create({ functionId }, key)).status).toBe(403);
      expect((await app.call('automations/listTriggers', { functionId }, key)).status).toBe(403);
    }
    const { id } = (await create({ functionId }, keeps)).body;
    expect((await app.call('automations/deleteSchedule', { id }, keeps)).status).toBe(403);
    expect((await app.call('automations/setScheduleActive', { id, isActive: false }, keeps)).status).toBe(200);
  });
});

describe('setScheduleActive and deleteSchedule', () => {
  it('switch a schedule off and on, with isActive as sent, and delete it', async () => {
    const functionId = await functionOf();
    const { id, nextTrigger } = (await create({ functionId })).body;
    expect(await done(app, 'automations/setScheduleActive', { id, isActive: false })).toEqual({ success: true });
    expect(await listed(functionId)).toMatchObject([{ isActive: false, nextTrigger: null }]);
    await done(app, 'automations/setScheduleActive', { id, isActive: true });
    expect(await listed(functionId)).toMatchObject([{ isActive: true, nextTrigger }]);
    expect(await done(app, 'automations/deleteSchedule', { id })).toEqual({ success: true });
    expect(await listed(functionId)).toEqual([]);
    expect((await app.call('automations/deleteSchedule', { id })).body.code).toBe('schedule-not-found');
  });
});

it('listTriggers of a site function shows no schedules, because there are no site functions', async () => {
  const { status } = await app.call('automations/listTriggers', { functionId: await functionOf(), kind: 'site' });
  expect(status).toBe(404);
});

it('the schedules of a deleted function are deleted with it', async () => {
  const functionId = await functionOf();
  const { id } = (await create({ functionId })).body;
  await done(app, 'automations/deleteFunction', { id: functionId });
  const { events } = await eventually(
    async () => (await app.call('audit/getHistory', { kind: 'schedule', id })).body,
    (history) => history.events.length === 2,
  );
  expect(events.map(({ data }: { data: object }) => data)).toContainEqual({ reason: 'function-deleted' });
  expect((await app.call('automations/setScheduleActive', { id, isActive: false })).status).toBe(404);
});
