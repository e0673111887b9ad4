import type { Target, TargetKind } from '../../../kernel/callers/target.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../triggers.refusals.js';

export interface ScheduleFacts {
  readonly targetKind: TargetKind;
  readonly targetRef: string;
  /** A cron expression of five fields, as sent. */
  readonly cronExpression: string;
  /** A time zone name of the IANA database. */
  readonly timezone: string;
  /** Whether it starts its target before its previous run has ended (settled question Q-L04). */
  readonly overlap: 'allow' | 'skip';
  /** The site whose list includes the schedule, if any. */
  readonly projectId?: string;
  /** Whether it was created as a schedule of that site. If omitted, it was created for its target. */
  readonly isOfSite?: true;
  readonly name?: string;
  /** Input that is passed to the target, if any. */
  readonly params?: JsonObject;
  /** The target's name when it was chosen, shown after the target is deleted. */
  readonly targetName?: string;
}

/** The parts of a site's schedule that can be changed. */
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
  /** Occurrences before activation are not missed. */
  readonly activeSince: string;
  /** When its times were last changed. Local times settled earlier no longer matter. */
  readonly retimedAt?: string;
  readonly createdAt: string;
  /** Whether the input of a failed function run is retained for a replay. */
  readonly keepInput: boolean;
}

/** Automations API, Schedule trigger. The outcomes of occurrences are in a separate journal. */
export const schedules = plainRecord<Schedule, ScheduleEvent>()({
  category: 'schedule',
  // Viewers cannot see the lists that show schedules.
  auditedFor: 'functions.edit',
  shownBy: 'automations/listTriggers',
  of: { project: 'projectId', target: 'targetRef' },
  within: false,
  undoing: {
    sets: ['site/updateSchedule', 'automations/setScheduleActive', 'automations/setTriggerReplay'],
    makes: 'automations/createSchedule',
    ends: 'automations/deleteSchedule',
    // Occurrences during the deletion are not missed.
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
