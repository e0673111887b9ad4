import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { command, query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { StartableTargets } from '../../../engine/scopes/startable-targets.js';
import { shapeOf } from '../../../kernel/field/field.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { NewSchedules } from './new-schedules.js';
import { deleteSchedule, scheduleStartsOtherwise, updateSchedule } from './schedule.js';
import { cronField, overlapField, timezoneField } from './schedule.operations.js';
import { schedules, scheduleTarget } from './schedule.record.js';
import { ScheduleBlocks } from './schedule-blocks.js';
import { wrongParams, wrongTarget, wrongTimes } from './schedule-terms.js';
import { SiteScheduleRecord, SiteSchedules } from './site-schedules.js';

const declared = {
  source: 'Sites API, Schedules and runs',
  group: 'site-schedules',
  within: 'project',
  tools: 'granted',
} as const;
const changing = { ...declared, permission: 'site.edit' } as const;

const functionName = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  optional: true,
  description: 'The exact name of a function of the site.',
} as const;
const params = {
  type: 'object',
  optional: true,
  description: 'Passed to the function in addition to _schedule. At most 16 KB.',
} as const;
const isActive = { type: 'boolean', optional: true } as const;

/** These shapes have explicit names, because the derived names belong to the shapes for the workspace's schedules. */
const CreateSiteSchedule = shapeOf('CreateSiteSchedule', {
  projectId: idField,
  cronExpression: cronField,
  functionName: {
    ...functionName,
    description: `${functionName.description} Alternatively, send targetKind and targetRef.`,
  },
  targetKind: { type: 'string', enum: ['account_function'], optional: true },
  targetRef: { ...idField, optional: true, description: 'The id of the account function.' },
  timezone: timezoneField,
  name: { ...nameField, optional: true },
  params,
  isActive: { ...isActive, default: true },
  overlap: overlapField,
});

const UpdateSiteSchedule = shapeOf('UpdateSiteSchedule', {
  projectId: idField,
  id: idField,
  functionName: { ...functionName, description: 'The exact name of another function of the same kind.' },
  cronExpression: { ...cronField, optional: true },
  timezone: { type: 'string', minLength: 1, maxLength: 100, optional: true },
  name: { ...nameField, optional: true },
  params,
  isActive,
});

export const siteScheduleOperations = [
  query('site/listSchedules', {
    ...declared,
    summary: 'Lists the schedules of a site, oldest first.',
    permission: 'site.read',
    answers: { list: SiteScheduleRecord },
    input: shapeOf('ListSiteSchedules', { projectId: idField }),
    inject: [SiteSchedules],
    handle: ({ projectId }, { workspaceId }, sites) => sites.listed(workspaceId, projectId),
  }),
  command('site/createSchedule', {
    ...changing,
    summary:
      'Creates a schedule, which starts a function of the site, or an account function, at the times of a cron expression.',
    answers: { record: SiteScheduleRecord },
    input: CreateSiteSchedule,
    inject: [SiteSchedules, ScheduleBlocks, NewSchedules],
    // Refused if the workspace's plan or a setting would block the new schedule (settled question Q-S90).
    handle: async (sent, call, sites, blocks, newSchedules) => {
      const { workspaceId } = call;
      const { projectId, cronExpression, timezone = 'UTC', overlap = 'allow', name, params, isActive } = sent;
      const { functionName, targetKind = 'site_function', targetRef = '' } = sent;
      const wrong = [
        ...wrongTarget('functionName', functionName, sent),
        ...wrongTimes(cronExpression, timezone),
        ...wrongParams(params ?? {}),
      ];
      if (wrong.length > 0) refuseInput(wrong);
      await blocks.mustNotBlock({ workspaceId, targetKind, projectId, isOfSite: true });
      const sentTarget =
        functionName === undefined
          ? ({ kind: 'account_function', ref: targetRef } as const)
          : await sites.named(workspaceId, 'site_function', projectId, functionName);
      const facts = {
        ...(await sites.targetFor(call, sentTarget, projectId)),
        ...{ cronExpression, timezone, overlap, projectId },
        isOfSite: true,
        ...(name === undefined ? {} : { name }),
        ...(params === undefined ? {} : { params }),
      } as const;
      return sites.shown(await newSchedules.create(call, facts, isActive));
    },
  }),
  recordCommand('site/updateSchedule', {
    ...changing,
    summary: 'Updates a schedule of a site. The kind of its target cannot change.',
    answers: { record: SiteScheduleRecord },
    input: UpdateSiteSchedule,
    record: schedules,
    id: ({ id }) => id,
    inject: [CommandRunner, SiteSchedules, StartableTargets],
    // The kind of the target cannot change (settled question Q-S91).
    prepare: async (sent, call, runner, sites, startable) => {
      const { projectId, id, functionName, cronExpression, timezone, params } = sent;
      const found = sites.mustBeOf(projectId, await runner.find(schedules, call.workspaceId, id));
      const wrong = [
        ...wrongTimes(cronExpression ?? found.cronExpression, timezone ?? found.timezone),
        ...wrongParams(params ?? {}),
      ];
      if (wrong.length > 0) refuseInput(wrong);
      const kind = found.targetKind === 'account_function' ? 'account_function' : 'site_function';
      const sentTarget =
        functionName === undefined ? undefined : await sites.named(call.workspaceId, kind, projectId, functionName);
      const target = sentTarget && (await sites.targetFor(call, sentTarget, projectId));
      return { sites, target, judge: await startable.judge(call, sentTarget ?? scheduleTarget(found)) };
    },
    decide: (before, sent, _, { sites, target, judge }) => {
      const { projectId, cronExpression, timezone, name, params, isActive } = sent;
      const { targetRef, targetName } = target ?? {};
      const terms = { cronExpression, timezone, name, params, targetRef, targetName };
      const events = updateSchedule(sites.mustBeOf(projectId, before), terms, isActive);
      if (events.some(scheduleStartsOtherwise)) judge();
      return events;
    },
    answer: (after = schedules.missing(), { sites }) => sites.shown(after),
  }),
  recordCommand('site/deleteSchedule', {
    ...changing,
    summary: 'Deletes a schedule of a site.',
    takesAway: true,
    answers: success,
    input: shapeOf('DeleteSiteSchedule', { projectId: idField, id: idField }),
    record: schedules,
    id: ({ id }) => id,
    decide: ({ projectId }, sent) => (projectId === sent.projectId ? deleteSchedule('asked') : schedules.missing()),
  }),
];
