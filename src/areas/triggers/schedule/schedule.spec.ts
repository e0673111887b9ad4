import { describe, expect, test } from '@jest/globals';
import { given, specAt, stateOf } from '../../../../test/support/given/given.js';
import {
  createSchedule,
  deleteSchedule,
  scheduleName,
  scheduleStartsOtherwise,
  switchSchedule,
  updateSchedule,
} from './schedule.js';
import { type ScheduleEvent, type ScheduleFacts, type ScheduleTerms, schedules } from './schedule.record.js';

const facts: ScheduleFacts = {
  targetKind: 'account_function',
  targetRef: 'fn_1',
  cronExpression: '0 2 * * *',
  timezone: 'UTC',
  overlap: 'allow',
};
const created: ScheduleEvent = { type: 'ScheduleCreated', data: facts };

describe('a schedule', () => {
  test('is created active, from that moment on', () => {
    given().when(createSchedule, facts).emits(created);
    expect(stateOf(schedules, [created])).toMatchObject({ ...facts, isActive: true, activeSince: specAt });
  });

  test('changes from active to inactive and back, with isActive as sent', () => {
    given(schedules, [created]).when(switchSchedule, false).emits({ type: 'ScheduleDeactivated', data: {} });
    given(schedules, [created, { type: 'ScheduleDeactivated', data: {} }])
      .when(switchSchedule, true)
      .emits({ type: 'ScheduleActivated', data: {} });
  });

  test('does not change if it is sent unchanged', () => {
    given(schedules, [created]).when(switchSchedule, true).emitsNothing();
  });

  test('that begins inactive is created and switched off at once', () => {
    given().when(createSchedule, facts, false).emits(created, { type: 'ScheduleDeactivated', data: {} });
  });

  test('records differences, and restarts counting only if its times changed', () => {
    given(schedules, [created])
      .when(updateSchedule, { cronExpression: '0 2 * * *', name: 'Nightly', params: undefined }, undefined)
      .emits({ type: 'ScheduleUpdated', data: { name: 'Nightly' } });
    const updated = (data: Partial<ScheduleTerms>) =>
      stateOf(schedules, [created, { type: 'ScheduleUpdated', data } as const]);
    expect(updated({ name: 'Nightly' })).toMatchObject({ name: 'Nightly' });
    expect(updated({ name: 'Nightly' })?.retimedAt).toBeUndefined();
    expect(updated({ timezone: 'Asia/Tokyo' })).toMatchObject({ retimedAt: specAt, activeSince: specAt });
  });

  test('starts differently after all changes but those of the name and of switching off', () => {
    const others: readonly ScheduleEvent[] = [
      { type: 'ScheduleUpdated', data: { params: {} } },
      { type: 'ScheduleActivated', data: {} },
    ];
    const same: readonly ScheduleEvent[] = [
      { type: 'ScheduleUpdated', data: { name: 'x' } },
      { type: 'ScheduleDeactivated', data: {} },
    ];
    expect([others.map(scheduleStartsOtherwise), same.map(scheduleStartsOtherwise)]).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  test('is deleted with a reason', () => {
    given()
      .when(deleteSchedule, 'function-deleted')
      .emits({ type: 'ScheduleDeleted', data: { reason: 'function-deleted' } });
  });

  test('is named after what it starts and when', () => {
    expect(scheduleName(facts, 'Nightly report')).toBe('Nightly report (0 2 * * *)');
    expect(scheduleName(facts, undefined)).toBe('0 2 * * *');
    expect(scheduleName({ ...facts, name: 'Mine' }, 'Nightly report')).toBe('Mine');
  });
});
