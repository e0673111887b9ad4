import type { Target, TargetKind } from '../../../kernel/callers/target.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../triggers.refusals.js';

export interface ScheduleFacts {
  readonly targetKind: TargetKind;
  readonly targetRef: string;
  /** Five fields, exactly as sent. */
  readonly cronExpression: string;
  /** A name of the IANA database. */
  readonly timezone: string;
  /** Whether it starts its target while its previous run is queued or going (settled question Q-L04). */
  readonly overlap: 'allow' | 'skip';
  /** The site that lists it. Left out: it has to do with no site. */
  readonly projectId?: string;
  /** Made as a schedule of that site. Left out: made for whatever it starts. */
  readonly isOfSite?: true;
  readonly name?: string;
  /** Passed to what it starts. Left out: nothing is. */
  readonly params?: JsonObject;
  /** What its target was called when it was chosen, for when that is gone. */
  readonly targetName?: string;
}

/** What can be changed of a schedule of a site. */
export type ScheduleTerms = Pick<
  ScheduleFacts,
  'targetRef' | 'targetName' | 'cronExpression' | 'timezone' | 'name' | 'params'
>;

/** The schedule's target. */
export const targetOf = ({ targetKind, targetRef }: ScheduleFacts): Target => ({ kind: targetKind, ref: targetRef });

export type ScheduleEvent =
  | DomainEvent<'ScheduleCreated', ScheduleFacts>
  | DomainEvent<'ScheduleUpdated', Partial<ScheduleTerms>>
  | DomainEvent<'ScheduleActivated', object>
  | DomainEvent<'ScheduleDeactivated', object>
  | DomainEvent<'ScheduleReplaySwitched', { readonly keepInput: boolean }>
  | DomainEvent<'ScheduleDeleted', { readonly reason: string }>;

export interface Schedule extends Document, ScheduleFacts {
  readonly isActive: boolean;
  /** Occurrences before activation do not count as missed. */
  readonly activeSince: string;
  /** When its times were last changed. Times settled before do not count any more. */
  readonly retimedAt?: string;
  readonly createdAt: string;
  /** When a run of a function fails, its input is kept for a replay. */
  readonly keepInput: boolean;
}

/** Automations API, Schedule trigger. The outcomes of its occurrences are in a separate journal. */
export const schedules = plainRecord<Schedule, ScheduleEvent>()({
  category: 'schedule',
  // Viewers may not see the lists that show schedules.
  auditedFor: 'functions.edit',
  shownBy: 'automations/listTriggers',
  of: { project: 'projectId', target: 'targetRef' },
  within: false,
  undoing: {
    sets: ['site/updateSchedule', 'automations/setScheduleActive', 'automations/setTriggerReplay'],
    makes: 'automations/createSchedule',
    ends: 'automations/deleteSchedule',
    // What fell due meanwhile is not missed.
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
