import { activation } from '../../../kernel/activation.js';
import type { Schedule, ScheduleEvent, ScheduleFacts } from './schedule.record.js';

export function createSchedule(facts: ScheduleFacts): readonly ScheduleEvent[] {
  return [{ type: 'ScheduleCreated', data: facts }];
}

export const switchSchedule = activation('ScheduleActivated', 'ScheduleDeactivated');

export function deleteSchedule(reason: 'asked' | 'function-deleted' | 'target-gone'): readonly ScheduleEvent[] {
  return [{ type: 'ScheduleDeleted', data: { reason } }];
}

/** A schedule's name says what it starts, and when. */
export function nameOf({ cronExpression }: Pick<Schedule, 'cronExpression'>, targetName: string | undefined): string {
  return targetName === undefined ? cronExpression : `${targetName} (${cronExpression})`;
}
