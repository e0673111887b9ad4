import { CommandHandler } from '@nestjs/cqrs';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { StartableTargets } from '../../../engine/scopes/startable-targets.js';
import type { KnownTarget } from '../../../engine/scopes/targets.js';
import { type Target, targetKindOf } from '../../../kernel/callers/target.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { Clock } from '../../../ports/clock.port.js';
import { NewSchedules } from './new-schedules.js';
import { CreateSchedule } from './schedule.operations.js';
import type { Schedule } from './schedule.record.js';
import { ScheduleBlocks } from './schedule-blocks.js';
import { wrongTarget, wrongTimes } from './schedule-terms.js';
import { Timetable } from './timetable.js';

/**
 * The target must exist, and the caller must be allowed to start it. It may be inactive: its runs then fail with that
 * reason.
 */
@CommandHandler(CreateSchedule)
export class CreateScheduleHandler {
  constructor(
    private readonly targets: StartableTargets,
    private readonly blocks: ScheduleBlocks,
    private readonly schedules: NewSchedules,
    private readonly clock: Clock,
  ) {}

  async execute(input: CreateSchedule): Promise<{ id: string; nextTrigger: string | null }> {
    const call = callOf(input);
    const { functionId, cronExpression, timezone = 'UTC', overlap = 'allow' } = input;
    const wrong = [...wrongTarget('functionId', functionId, input), ...wrongTimes(cronExpression, timezone)];
    if (wrong.length > 0) refuseInput(wrong);
    const { kind: targetKind, ref: targetRef, isActive, ...target } = await this.targetOf(call, input);
    const facts = { targetKind, targetRef, cronExpression, timezone, overlap, ...ofSite(target) };
    await this.blocks.mustNotBlock({ workspaceId: call.workspaceId, ...facts });
    const schedule = await this.schedules.create(call, facts);
    return { id: schedule.id, nextTrigger: isActive && schedule.isActive ? this.nextOf(schedule) : null };
  }

  private nextOf(schedule: Schedule): string | null {
    const next = new Timetable(schedule, undefined).next(this.clock.now());
    return next === undefined ? null : new Date(next.at).toISOString();
  }

  private async targetOf(call: Call, input: CreateSchedule): Promise<Target & KnownTarget> {
    const { functionId, targetKind = 'account_function', targetRef = '' } = input;
    const kind = targetKindOf(targetKind);
    const target: Target = { kind, ref: functionId ?? targetRef };
    return { ...target, ...(await this.targets.require(call, target)) };
  }
}

/** A schedule of a site's function is listed with that site (settled question Q-A45). */
function ofSite({ projectId, name }: Pick<KnownTarget, 'projectId' | 'name'>) {
  return projectId === undefined ? {} : { projectId, targetName: name };
}
