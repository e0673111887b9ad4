import type { DeletedOwner } from '../../../engine/ownership/dependents.js';
import { activation } from '../../../kernel/record/activation.js';
import { differing, type Sent } from '../../../kernel/record/differing.js';
import { goneReason } from '../gone-reason.js';
import type { Schedule, ScheduleEvent, ScheduleFacts, ScheduleTerms } from './schedule.record.js';

export function createSchedule(facts: ScheduleFacts, isActive = true): readonly ScheduleEvent[] {
  const created: ScheduleEvent = { type: 'ScheduleCreated', data: facts };
  return isActive ? [created] : [created, { type: 'ScheduleDeactivated', data: {} }];
}

export function updateSchedule(
  schedule: Schedule,
  terms: Sent<ScheduleTerms>,
  isActive: boolean | undefined,
): readonly ScheduleEvent[] {
  const data = differing<ScheduleTerms>(schedule, terms);
  const updated: readonly ScheduleEvent[] = data === undefined ? [] : [{ type: 'ScheduleUpdated', data }];
  return [...updated, ...switchSchedule(schedule, isActive)];
}

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
 * When a site's function is deleted, its schedule remains, and each firing becomes a failed run that reports the
 * deletion (Sites API, Run record). That schedule is deleted with the site.
 */
export function endSchedule({ targetKind }: Schedule, owner: DeletedOwner): readonly ScheduleEvent[] {
  if (owner.kind === 'project') return deleteSchedule('project-deleted');
  return targetKind === 'site_function' ? [] : deleteSchedule(goneReason(owner));
}

export function scheduleName(
  { name, cronExpression }: Pick<Schedule, 'name' | 'cronExpression'>,
  targetName: string | undefined,
): string {
  if (name !== undefined) return name;
  return targetName === undefined ? cronExpression : `${targetName} (${cronExpression})`;
}
