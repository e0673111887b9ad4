import { describe, expect, test } from '@jest/globals';
import { given } from '../../../../test/support/given/given.js';
import { hourlySchedule as hourly } from '../../../../test/support/given/hourly-schedule.js';
import { mostLateMs, type ScheduleCircumstances, settleOccurrences } from './occurrence.js';
import type { Ledger } from './occurrence.record.js';
import type { Schedule } from './schedule.record.js';

const everyMinute: Schedule = { ...hourly, cronExpression: '* * * * *' };
const at = (now: string, isGoing = false): ScheduleCircumstances => ({
  now: Date.parse(now),
  name: 'Report',
  isGoing,
  isBlocked: false,
  runIdOf: (dueAt) => `run ${dueAt}`,
});
const ledger = (more: Partial<Ledger> = {}): Ledger => ({
  through: '2030-01-01T05:00:00.000Z',
  local: '2030-01-01T05:00',
  lastTriggered: '2030-01-01T05:00:00.010Z',
  lastRunId: 'run 5',
  missed: null,
  skipped: 0,
  ...more,
});
const settle = (schedule: Schedule, before: Ledger | undefined, around: ScheduleCircumstances) =>
  settleOccurrences(schedule, before, around).map(({ type, data }) => [
    type,
    'dueAt' in data ? data.dueAt : data.count,
  ]);

describe('due occurrences', () => {
  test('are fired with their instant, the time of firing, and the delay', () => {
    given()
      .when(settleOccurrences, hourly, undefined, at('2030-01-01T01:00:00.250Z'))
      .emits({
        type: 'OccurrenceFired',
        data: {
          name: 'Report',
          dueAt: '2030-01-01T01:00:00.000Z',
          firedAt: '2030-01-01T01:00:00.250Z',
          lateMs: 250,
          runId: 'run 2030-01-01T01:00:00.000Z',
          targetKind: 'account_function',
          targetRef: 'fn_1',
          ledger: {
            through: '2030-01-01T01:00:00.000Z',
            local: '2030-01-01T01:00',
            lastTriggered: '2030-01-01T01:00:00.250Z',
            lastRunId: 'run 2030-01-01T01:00:00.000Z',
            missed: null,
            skipped: 0,
          },
        },
      });
  });

  test('do not exist before their time, nor at the moment when the schedule was switched on', () => {
    given().when(settleOccurrences, hourly, undefined, at('2030-01-01T00:59:59.999Z')).emitsNothing();
    given().when(settleOccurrences, hourly, undefined, at('2030-01-01T00:00:00.000Z')).emitsNothing();
  });

  test('do not exist again if the clock was set back', () => {
    given().when(settleOccurrences, hourly, ledger(), at('2030-01-01T05:00:30Z')).emitsNothing();
    given().when(settleOccurrences, hourly, ledger(), at('2030-01-01T04:00:30Z')).emitsNothing();
  });

  test('do not exist again if the rules of the zone changed, and its clocks show the same time an hour later', () => {
    const berlin: Schedule = { ...hourly, cronExpression: '0 6 * * *', timezone: 'Europe/Berlin' };
    // The ledger was recorded under other time zone rules, by which local 06:00 was 04:00 UTC. It is now 05:00 UTC.
    const before = ledger({ through: '2030-01-01T04:00:00.000Z', local: '2030-01-01T06:00' });
    given().when(settleOccurrences, berlin, before, at('2030-01-01T05:00:10Z')).emitsNothing();
    expect(settle(berlin, before, at('2030-01-02T05:00:10Z'))).toEqual([
      ['OccurrenceFired', '2030-01-02T05:00:00.000Z'],
    ]);
  });

  test('are all skipped while the schedule is blocked, and none of them is fired afterwards', () => {
    const blocked = settleOccurrences(everyMinute, ledger(), { ...at('2030-01-01T05:02:00Z'), isBlocked: true });
    expect(blocked.map(({ type, data }) => [type, 'reason' in data && data.reason])).toEqual([
      ['OccurrenceSkipped', 'blocked'],
      ['OccurrenceSkipped', 'blocked'],
    ]);
    const after = blocked.at(-1)?.data.ledger;
    expect(after).toMatchObject({ lastTriggered: ledger().lastTriggered, missed: null, skipped: 2 });
    expect(settle(everyMinute, after, at('2030-01-01T05:03:00Z'))).toEqual([
      ['OccurrenceFired', '2030-01-01T05:03:00.000Z'],
    ]);
  });

  test('of a schedule in a new zone begin with the change, whatever the clocks of the old one showed', () => {
    const auckland = ledger({ local: '2030-01-01T18:00' });
    const changed = '2030-01-01T05:30:00.000Z';
    const retimed: Schedule = { ...hourly, activeSince: changed, retimedAt: changed };
    expect(settle(hourly, auckland, at('2030-01-01T06:00:10Z'))).toEqual([]);
    expect(settle(retimed, auckland, at('2030-01-01T06:00:10Z'))).toEqual([
      ['OccurrenceFired', '2030-01-01T06:00:00.000Z'],
    ]);
  });

  test("contain the schedule's input for its target", () => {
    const given = { ...hourly, params: { size: 3 } };
    const [fired] = settleOccurrences(given, undefined, at('2030-01-01T01:00:00.250Z'));
    expect(fired?.data).toMatchObject({ params: { size: 3 } });
  });

  test('are fired late, each once, if they are at most five minutes old', () => {
    expect(settle(hourly, ledger(), at('2030-01-01T06:05:00Z'))).toEqual([
      ['OccurrenceFired', '2030-01-01T06:00:00.000Z'],
    ]);
    expect(settle(everyMinute, ledger(), at('2030-01-01T05:03:30Z'))).toEqual([
      ['OccurrenceFired', '2030-01-01T05:01:00.000Z'],
      ['OccurrenceFired', '2030-01-01T05:02:00.000Z'],
      ['OccurrenceFired', '2030-01-01T05:03:00.000Z'],
    ]);
  });

  test('are missed if they are older: one record with their number', () => {
    given()
      .when(settleOccurrences, hourly, ledger(), at('2030-01-01T06:05:00.001Z'))
      .emits({
        type: 'OccurrencesMissed',
        data: {
          name: 'Report',
          from: '2030-01-01T06:00:00.000Z',
          to: '2030-01-01T06:00:00.000Z',
          count: 1,
          ledger: ledger({
            through: '2030-01-01T06:00:00.000Z',
            local: '2030-01-01T06:00',
            missed: { count: 1, lastAt: '2030-01-01T06:00:00.000Z' },
          }),
        },
      });
    expect(settle(everyMinute, ledger(), at('2030-01-31T05:00:30Z'))).toEqual([
      ['OccurrencesMissed', 30 * 24 * 60 - 5],
      ...[56, 57, 58, 59].map((minute) => ['OccurrenceFired', `2030-01-31T04:${minute}:00.000Z`]),
      ['OccurrenceFired', '2030-01-31T05:00:00.000Z'],
    ]);
  });

  test('that are missed are added to earlier ones', () => {
    const before = ledger({ missed: { count: 3, lastAt: '2029-01-01T00:00:00.000Z' } });
    const [event] = settleOccurrences(hourly, before, at('2030-01-01T07:30:00Z'));
    expect(event?.data.ledger.missed).toEqual({ count: 5, lastAt: '2030-01-01T07:00:00.000Z' });
  });

  test('while it was off are neither caught up nor missed', () => {
    const again = { ...hourly, activeSince: '2030-01-01T08:30:00.000Z' };
    given().when(settleOccurrences, again, ledger(), at('2030-01-01T08:31:00Z')).emitsNothing();
    expect(settle(again, ledger(), at('2030-01-01T09:00:00Z'))).toEqual([
      ['OccurrenceFired', '2030-01-01T09:00:00.000Z'],
    ]);
  });

  test("during a run are fired with overlap 'allow' and skipped with 'skip'", () => {
    const going = at('2030-01-01T06:00:00Z', true);
    expect(settle(hourly, ledger(), going)).toEqual([['OccurrenceFired', '2030-01-01T06:00:00.000Z']]);
    given()
      .when(settleOccurrences, { ...hourly, overlap: 'skip' as const }, ledger(), going)
      .emits({
        type: 'OccurrenceSkipped',
        data: {
          name: 'Report',
          dueAt: '2030-01-01T06:00:00.000Z',
          runId: 'run 5',
          ledger: ledger({ through: '2030-01-01T06:00:00.000Z', local: '2030-01-01T06:00', skipped: 1 }),
        },
      });
  });

  test("several at once with overlap 'skip' start one run", () => {
    const careful = { ...everyMinute, overlap: 'skip' as const };
    expect(settle(careful, ledger(), at('2030-01-01T05:03:00Z'))).toEqual([
      ['OccurrenceFired', '2030-01-01T05:01:00.000Z'],
      ['OccurrenceSkipped', '2030-01-01T05:02:00.000Z'],
      ['OccurrenceSkipped', '2030-01-01T05:03:00.000Z'],
    ]);
  });

  test('are fired for five minutes, as the contract says', () => {
    expect(mostLateMs).toBe(300_000);
  });
});
