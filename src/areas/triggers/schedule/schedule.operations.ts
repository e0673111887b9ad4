import { command } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { StartableTargets } from '../../../engine/scopes/startable-targets.js';
import type { KnownTarget } from '../../../engine/scopes/targets.js';
import { targetKindOf } from '../../../kernel/callers/target.js';
import { cronPattern } from '../../../kernel/cron/cron.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { Clock } from '../../../ports/clock.port.js';
import { switchesTrigger } from '../switch-trigger.js';
import { NewSchedules } from './new-schedules.js';
import { deleteSchedule, switchSchedule } from './schedule.js';
import { schedules } from './schedule.record.js';
import { ScheduleBlocks } from './schedule-blocks.js';
import { wrongTarget, wrongTimes } from './schedule-terms.js';
import { ScheduleTrigger, scheduleTrigger } from './schedule-trigger.api.js';

const declared = {
  source: 'Automations API, Triggers and runs',
  group: 'schedules',
  permission: 'functions.edit',
  tools: 'granted',
} as const;

const expression =
  'Five fields: minute, hour, day of month, month, day of week. If both day fields are restricted, a day matches if either does.';

export const cronField = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  schema: { pattern: cronPattern },
  description: expression,
} as const;
export const timezoneField = {
  type: 'string',
  minLength: 1,
  maxLength: 100,
  optional: true,
  default: 'UTC',
  description: 'IANA time zone in which the cron expression is evaluated.',
} as const;
export const overlapField = {
  type: 'string',
  enum: ['allow', 'skip'],
  optional: true,
  default: 'allow',
  description: "Whether to start a run while the previous one is queued or running: 'skip' does not.",
} as const;

export const scheduleOperations = [
  /**
   * The target must exist, and the caller must be allowed to start it. It may be inactive, in which case its runs fail.
   */
  command('automations/createSchedule', {
    ...declared,
    summary: 'Creates a schedule, which starts a function, flow or AI agent at the times of a cron expression.',
    answers: { record: ScheduleTrigger },
    input: {
      functionId: {
        ...idField,
        optional: true,
        description: 'The account function to run. Alternatively, send targetKind and targetRef.',
      },
      targetKind: { type: 'string', enum: ['site_function', 'flow', 'specialist', 'agent'], optional: true },
      targetRef: { ...idField, optional: true, description: 'The id of the target.' },
      cronExpression: cronField,
      timezone: timezoneField,
      overlap: overlapField,
    },
    inject: [StartableTargets, ScheduleBlocks, NewSchedules, Clock],
    handle: async (sent, call, targets, blocks, newSchedules, clock) => {
      const { functionId, targetRef: sentRef = '', cronExpression, timezone = 'UTC', overlap = 'allow' } = sent;
      const wrong = [...wrongTarget('functionId', functionId, sent), ...wrongTimes(cronExpression, timezone)];
      if (wrong.length > 0) refuseInput(wrong);
      const targetKind = targetKindOf(sent.targetKind ?? 'account_function');
      const targetRef = functionId ?? sentRef;
      const { isActive, ...target } = await targets.require(call, { kind: targetKind, ref: targetRef });
      const facts = { targetKind, targetRef, cronExpression, timezone, overlap, ...ofSite(target) };
      await blocks.mustNotBlock({ workspaceId: call.workspaceId, ...facts });
      const schedule = await newSchedules.create(call, facts);
      return scheduleTrigger(schedule, { blocked: null, targetIsActive: isActive, now: clock.now() });
    },
  }),
  switchesTrigger(
    'automations/setScheduleActive',
    {
      ...declared,
      summary:
        'Activates or deactivates a schedule. Occurrences that fall due while it is inactive are not made up for.',
    },
    schedules,
    switchSchedule,
  ),
  recordCommand('automations/deleteSchedule', {
    ...declared,
    summary: 'Deletes a schedule.',
    takesAway: true,
    answers: success,
    input: { id: idField },
    record: schedules,
    id: ({ id }) => id,
    decide: () => deleteSchedule('asked'),
  }),
];

function ofSite({ projectId, name }: Pick<KnownTarget, 'projectId' | 'name'>) {
  return projectId === undefined ? {} : { projectId, targetName: name };
}
