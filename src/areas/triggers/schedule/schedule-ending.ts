import type { TriggerEnding } from '../trigger-deletion.api.js';
import { deleteSchedule } from './schedule.js';
import { type Schedule, type ScheduleEvent, schedules } from './schedule.record.js';

/**
 * A schedule of a site's function stays, and each firing becomes a failed run that says that the function is gone (Sites
 * API, Run record).
 */
export const scheduleEnding: TriggerEnding<Schedule, ScheduleEvent> = {
  kind: schedules,
  delete: (_, reason) => deleteSchedule(reason),
  stays: ({ targetKind }) => targetKind === 'site_function',
};
