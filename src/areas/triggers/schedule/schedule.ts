import type { DeletedOwner } from '../../../engine/ownership/dependents.js';
import { activation } from '../../../kernel/record/activation.js';
import { differing, type Sent } from '../../../kernel/record/differing.js';
import { goneReason } from '../gone-reason.js';
import type { Schedule, ScheduleEvent, ScheduleFacts, ScheduleTerms } from './schedule.record.js';

export function createSchedule(facts: ScheduleFacts, isActive = true): readonly ScheduleEvent[] {
  const created: ScheduleEvent = { type: 'ScheduleCreated', data: facts };
  return isActive ? [created] : [created, { type: 'ScheduleDeactivated', data: {} }];
}

/** Omitted values are unchanged. */
export function updateSchedule(
  schedule: Schedule,
  terms: Sent<ScheduleTerms>,
  isActive: boolean | undefined,
): readonly ScheduleEvent[] {
  const data = differing<ScheduleTerms>(schedule, terms);
  const updated: readonly ScheduleEvent[] = data === undefined ? [] : [{ type: 'ScheduleUpdated', data }];
  return [...updated, ...switchSchedule(schedule, isActive)];
}

/** Whether the change starts a target at other times or with other input, or starts another target. */
export function scheduleStartsOtherwise(event: ScheduleEvent): boolean {
  switch (event.type) {
    case 'ScheduleCreated':
    case 'ScheduleActivated':
      return true;
    case 'ScheduleUpdated':
      return Object.keys(event.data).some((term) => term !== 'name');
    case 'ScheduleDeactivated':
    case 'ScheduleReplaySwitched':
    case 'ScheduleDeleted':
      return false;
  }
}

export const switchSchedule = activation('ScheduleActivated', 'ScheduleDeactivated');

export function deleteSchedule(
  reason: 'asked' | 'function-deleted' | 'target-gone' | 'project-deleted',
): readonly ScheduleEvent[] {
  return [{ type: 'ScheduleDeleted', data: { reason } }];
}

/**
 * A schedule of a site's function outlives the function: each firing becomes a failed run which states that it is gone
 * (Sites API, Run record). It ends with the site.
 */
export function endSchedule({ targetKind }: Schedule, owner: DeletedOwner): readonly ScheduleEvent[] {
  if (owner.kind === 'project') return deleteSchedule('project-deleted');
  return targetKind === 'site_function' ? [] : deleteSchedule(goneReason(owner));
}

/** A schedule without a name is named after its target and times. */
export function scheduleName(
  { name, cronExpression }: Pick<Schedule, 'name' | 'cronExpression'>,
  targetName: string | undefined,
): string {
  if (name !== undefined) return name;
  return targetName === undefined ? cronExpression : `${targetName} (${cronExpression})`;
}
