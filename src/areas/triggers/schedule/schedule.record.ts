import type { Target, TargetKind } from '../../../kernel/callers/target.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../triggers.refusals.js';

export interface ScheduleFacts {
  readonly targetKind: TargetKind;
  readonly targetRef: string;
  /** Five fields, as the caller sent them. */
  readonly cronExpression: string;
  readonly timezone: string;
  /** `allow` starts the target while the previous run has not ended (settled question Q-L04). */
  readonly overlap: 'allow' | 'skip';
  readonly projectId?: string;
  /**
   * Set if the schedule was created for the site itself. Schedules that were created for one of the site's functions
   * are in the site's list too, without this field.
   */
  readonly isOfSite?: true;
  readonly name?: string;
  readonly params?: JsonObject;
  /** Name of the target when it was chosen, shown after the target is deleted. */
  readonly targetName?: string;
}

export type ScheduleTerms = Pick<
  ScheduleFacts,
  'targetRef' | 'targetName' | 'cronExpression' | 'timezone' | 'name' | 'params'
>;

export const scheduleTarget = ({ targetKind, targetRef }: ScheduleFacts): Target => ({
  kind: targetKind,
  ref: targetRef,
});

export type ScheduleEvent =
  | DomainEvent<'ScheduleCreated', ScheduleFacts>
  | DomainEvent<'ScheduleUpdated', Partial<ScheduleTerms>>
  | DomainEvent<'ScheduleActivated', object>
  | DomainEvent<'ScheduleDeactivated', object>
  | DomainEvent<'ScheduleReplaySwitched', { readonly keepInput: boolean }>
  | DomainEvent<'ScheduleDeleted', { readonly reason: string }>;

export interface Schedule extends Document, ScheduleFacts {
  readonly isActive: boolean;
  /** Occurrences up to this time do not count as missed. */
  readonly activeSince: string;
  /**
   * Time at which the cron expression or time zone last changed. Local times that were fired, skipped or missed before
   * this change can occur again.
   */
  readonly retimedAt?: string;
  readonly createdAt: string;
  readonly keepInput: boolean;
}

export const schedules = plainRecord<Schedule, ScheduleEvent>()({
  category: 'schedule',
  // Viewers have no access to the operations that list schedules, so they must not see schedules in the audit either.
  auditedFor: 'functions.edit',
  shownBy: 'automations/listTriggers',
  of: { project: 'projectId', target: 'targetRef' },
  within: false,
  undoing: {
    sets: ['site/updateSchedule', 'automations/setScheduleActive', 'automations/setTriggerReplay'],
    makes: 'automations/createSchedule',
    ends: 'automations/deleteSchedule',
    returns: { type: 'ScheduleRestored', as: (schedule, at) => ({ ...schedule, activeSince: at }) },
  },
  missing: () => refuse('schedule-not-found'),
  collection: {
    name: 'schedules',
    version: 3,
    indexes: [
      { fields: ['workspaceId', 'createdAt'] },
      { fields: ['targetRef'] },
      { fields: ['isActive'] },
      { fields: ['workspaceId', 'projectId', 'createdAt'] },
    ],
  },
  begins: {
    ScheduleCreated: ({ data, metadata }) => ({ ...data, isActive: true, activeSince: metadata.at, keepInput: true }),
  },
  merges: ['ScheduleReplaySwitched'],
  ends: ['ScheduleDeleted'],
  also: {
    ScheduleUpdated: ({ isActive, activeSince }, { data, metadata: { at } }) =>
      data.cronExpression === undefined && data.timezone === undefined
        ? data
        : { ...data, retimedAt: at, activeSince: isActive ? at : activeSince },
    ScheduleActivated: (_, { metadata }) => ({ isActive: true, activeSince: metadata.at }),
    ScheduleDeactivated: () => ({ isActive: false }),
  },
});
