import { describe, expect, test } from '@jest/globals';
import { given, specAt, stateOf } from '../../../../test/support/given.js';
import { createSchedule, deleteSchedule, nameOf, switchSchedule } from './schedule.js';
import { type ScheduleEvent, type ScheduleFacts, schedules } from './schedule.record.js';

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

  test('active to inactive and back, isActive as sent', () => {
    given(schedules, [created]).when(switchSchedule, false).emits({ type: 'ScheduleDeactivated', data: {} });
    given(schedules, [created, { type: 'ScheduleDeactivated', data: {} }])
      .when(switchSchedule, true)
      .emits({ type: 'ScheduleActivated', data: {} });
  });

  test('sent as it is, nothing happens', () => {
    given(schedules, [created]).when(switchSchedule, true).emitsNothing();
  });

  test('is deleted, and why is told', () => {
    given()
      .when(deleteSchedule, 'function-deleted')
      .emits({ type: 'ScheduleDeleted', data: { reason: 'function-deleted' } });
  });

  test('is called by what it starts and when', () => {
    expect(nameOf(facts, 'Nightly report')).toBe('Nightly report (0 2 * * *)');
    expect(nameOf(facts, undefined)).toBe('0 2 * * *');
  });
});
