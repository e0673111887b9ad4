import type { Schedule, ScheduleEvent, ScheduleFacts } from './schedule.record.js';

export function createSchedule(facts: ScheduleFacts): readonly ScheduleEvent[] {
  return [{ type: 'ScheduleCreated', data: facts }];
}

/** Automations API, States: isActive as sent; sent as it already is, nothing happens. */
export function switchSchedule(schedule: Schedule, isActive: boolean): readonly ScheduleEvent[] {
  if (schedule.isActive === isActive) return [];
  return [{ type: isActive ? 'ScheduleActivated' : 'ScheduleDeactivated', data: {} }];
}

/** Counts for what falls due from then on. */
export function switchReplay(schedule: Schedule, keepInput: boolean): readonly ScheduleEvent[] {
  return schedule.keepInput === keepInput ? [] : [{ type: 'ScheduleReplaySwitched', data: { keepInput } }];
}

export function deleteSchedule(reason: 'asked' | 'function-deleted' | 'target-gone'): readonly ScheduleEvent[] {
  return [{ type: 'ScheduleDeleted', data: { reason } }];
}

/** A schedule is called by what it starts, and when. */
export function nameOf({ cronExpression }: Pick<Schedule, 'cronExpression'>, targetName: string | undefined): string {
  return targetName === undefined ? cronExpression : `${targetName} (${cronExpression})`;
}
