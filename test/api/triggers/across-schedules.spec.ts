import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { activeTarget, type TestTarget, targetWords } from '../../support/automations/targets.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import { type AssistantServer, writes } from '../../support/servers/assistant-server.js';
import { type OutsideApp, sharedStandingTime } from '../../support/shared-outside.js';

let assistant: AssistantServer;
let app: OutsideApp<MadeUpClock>;
let clock: MadeUpClock;
beforeAll(async () => {
  app = await sharedStandingTime(Date.parse('2026-03-28T12:00:30Z'));
  ({ clock, assistant } = app);
  assistant.plays(writes('Seen.'));
}, 60_000);
afterAll(() => app?.close());

/** By default once a year, so nothing falls due by itself during the test. */
const scheduled = async (target: TestTarget, cronExpression = '0 3 1 1 *', word: string = target.kind) => {
  const what =
    target.kind === 'account_function' ? { functionId: target.id } : { targetKind: word, targetRef: target.id };
  return (await done(app, 'automations/createSchedule', { ...what, cronExpression })).id as string;
};
/** Moves the fake clock on until the run has ended, because steps poll. */
const over = (target: TestTarget) =>
  eventually(
    async () => {
      clock.advance(1_000);
      return target.runs();
    },
    (all) => all.length === 1 && all.every(({ finishedAt }) => finishedAt !== null),
    30_000,
  );
const nextMinute = () => new Date(clock.now() + 60_000).toISOString().slice(0, 17).concat('00.000Z');
const cronOf = (due: string) => `${Number(due.slice(14, 16))} ${Number(due.slice(11, 13))} * * *`;

describe.each(targetWords)('a schedule of %s', (word) => {
  it('runs it once when it is due, with what and when, and its list shows it', async () => {
    const target = await activeTarget(app, word, assistant);
    const due = nextMinute();
    const cron = cronOf(due);
    const id = await scheduled(target, cron, 'agent' === word.split(' ')[1] ? 'agent' : target.kind);
    expect((await target.triggers()).schedules).toMatchObject([{ id, lastTriggered: null, nextTrigger: due }]);
    clock.advance(60_000);
    // The clock must not move until the schedule has fired, even on a slow machine.
    await eventually(
      () => target.runs(),
      (all) => all.length === 1,
    );
    const [run] = await over(target);
    expect(run).toMatchObject({
      status: 'success',
      error: null,
      source: 'schedule',
      startedBy: `Schedule ${target.name} (${cron})`,
    });
    const [shown] = (await target.triggers()).schedules;
    expect(shown?.lastTriggered?.slice(0, 16)).toBe(due.slice(0, 16));
    expect(await target.inputs()).toEqual([{ _schedule: { id, firedAt: shown?.lastTriggered } }]);
  });

  it('that is inactive makes a failed run with that reason', async () => {
    const target = await activeTarget(app, word, assistant);
    await scheduled(target, cronOf(nextMinute()));
    await target.switchOff();
    expect((await target.triggers()).schedules).toMatchObject([{ nextTrigger: null }]);
    clock.advance(60_000);
    const [run] = await over(target);
    expect(run).toMatchObject({ status: 'error', error: expect.stringContaining('target is INACTIVE') });
    expect(await target.inputs()).toEqual([]);
  });

  it('is deleted with it', async () => {
    const target = await activeTarget(app, word, assistant);
    const id = await scheduled(target);
    await target.remove();
    const gone = () => app.call('automations/setScheduleActive', { id, isActive: false });
    await eventually(gone, ({ status }) => status === 404);
  });
});
