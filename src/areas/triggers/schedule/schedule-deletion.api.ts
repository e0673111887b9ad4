import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { Target } from '../../../kernel/callers/target.js';
import { deleteSchedule } from './schedule.js';
import { type Schedule, type ScheduleEvent, schedules } from './schedule.record.js';

@Injectable()
export class ScheduleDeletion {
  constructor(private readonly runner: CommandRunner) {}

  /** Deletes the schedule if it still has this target, which no longer exists. */
  async withoutTarget(id: string, { kind, ref }: Target, call: OperationContext): Promise<void> {
    await this.runner.change<Schedule | undefined, ScheduleEvent>(call, {
      aggregate: schedules,
      id,
      begins: 'perhaps',
      decide: (schedule) =>
        schedule?.targetKind === kind && schedule.targetRef === ref ? deleteSchedule('target-gone') : [],
    });
  }
}
