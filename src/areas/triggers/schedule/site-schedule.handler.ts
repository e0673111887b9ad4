import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { asks } from '../../../engine/records/rule.js';
import { StartableTargets } from '../../../engine/scopes/startable-targets.js';
import type { Target } from '../../../kernel/callers/target.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { NewSchedules } from './new-schedules.js';
import { deleteSchedule, startsOtherwise, updateSchedule } from './schedule.js';
import { schedules, targetOf } from './schedule.record.js';
import { ScheduleBlocks } from './schedule-blocks.js';
import { wrongParams, wrongTarget, wrongTimes } from './schedule-terms.js';
import {
  CreateSiteSchedule,
  DeleteSiteSchedule,
  ListSiteSchedules,
  type SiteScheduleRecord,
  UpdateSiteSchedule,
} from './site-schedule.operations.js';
import { SiteSchedules } from './site-schedules.js';

/** Refused where the plan or a switch would keep it from starting anything (settled question Q-S90). */
@CommandHandler(CreateSiteSchedule)
export class CreateSiteScheduleHandler {
  constructor(
    private readonly sites: SiteSchedules,
    private readonly blocks: ScheduleBlocks,
    private readonly schedules: NewSchedules,
  ) {}

  async execute(input: CreateSiteSchedule): Promise<SiteScheduleRecord> {
    const call = callOf(input);
    const { workspaceId } = call;
    const { projectId, cronExpression, timezone = 'UTC', overlap = 'allow', name, params, isActive } = input;
    const wrong = [
      ...wrongTarget('functionName', input.functionName, input),
      ...wrongTimes(cronExpression, timezone),
      ...wrongParams(params ?? {}),
    ];
    if (wrong.length > 0) refuseInput(wrong);
    const targetKind = input.targetKind ?? 'site_function';
    await this.blocks.mustNotBlock({ workspaceId, targetKind, projectId, isOfSite: true });
    const target = await this.sites.targetFor(call, await this.targetOf(workspaceId, input), projectId);
    const facts = {
      ...target,
      cronExpression,
      timezone,
      overlap,
      projectId,
      isOfSite: true,
      ...(name === undefined ? {} : { name }),
      ...(params === undefined ? {} : { params }),
    } as const;
    return this.sites.shown(await this.schedules.create(call, facts, isActive));
  }

  private async targetOf(workspaceId: string, input: CreateSiteSchedule): Promise<Target> {
    const { projectId, functionName, targetRef = '' } = input;
    if (functionName === undefined) return { kind: 'account_function', ref: targetRef };
    return this.sites.named(workspaceId, 'site_function', projectId, functionName);
  }
}

/** Its target stays of the same kind (settled question Q-S91). */
@CommandHandler(UpdateSiteSchedule)
export class UpdateSiteScheduleHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly sites: SiteSchedules,
    private readonly startable: StartableTargets,
  ) {}

  async execute(input: UpdateSiteSchedule): Promise<SiteScheduleRecord> {
    const call = callOf(input);
    const { projectId, id, functionName, isActive, cronExpression, timezone, name, params } = input;
    const found = this.sites.mustBeOf(projectId, await this.runner.find(schedules, call.workspaceId, id));
    const wrong = [
      ...wrongTimes(cronExpression ?? found.cronExpression, timezone ?? found.timezone),
      ...wrongParams(params ?? {}),
    ];
    if (wrong.length > 0) refuseInput(wrong);
    const kind = found.targetKind === 'account_function' ? 'account_function' : 'site_function';
    const wanted =
      functionName === undefined ? undefined : await this.sites.named(call.workspaceId, kind, projectId, functionName);
    const target = wanted && (await this.sites.targetFor(call, wanted, projectId));
    const judge = await this.startable.judge(call, wanted ?? targetOf(found));
    const { targetRef, targetName } = target ?? {};
    const terms = { cronExpression, timezone, name, params, targetRef, targetName };
    const schedule = await this.runner.change(call, {
      aggregate: schedules,
      id,
      decide: (before) => {
        const events = updateSchedule(this.sites.mustBeOf(projectId, before), terms, isActive);
        if (events.some(startsOtherwise)) judge();
        return events;
      },
    });
    return this.sites.shown(schedule ?? schedules.missing());
  }
}

@CommandHandler(DeleteSiteSchedule)
export class DeleteSiteScheduleHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly sites: SiteSchedules,
  ) {}

  async execute(input: DeleteSiteSchedule): Promise<{ readonly success: true }> {
    const { projectId, id } = input;
    await this.runner.change(callOf(input), {
      aggregate: schedules,
      id,
      decide: (schedule) => {
        this.sites.mustBeOf(projectId, schedule);
        return deleteSchedule('asked');
      },
    });
    return { success: true };
  }
}

export const siteScheduleHandlers = [
  asks(ListSiteSchedules, SiteSchedules, (sites, { projectId }, call) => sites.listed(call.workspaceId, projectId)),
  CreateSiteScheduleHandler,
  UpdateSiteScheduleHandler,
  DeleteSiteScheduleHandler,
];
