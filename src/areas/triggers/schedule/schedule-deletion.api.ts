import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { deleteSchedule } from './schedule.js';
import { schedules } from './schedule.record.js';

@Injectable()
export class ScheduleDeletion {
  constructor(private readonly runner: CommandRunner) {}

  async withoutTarget(id: string, call: OperationContext): Promise<void> {
    if ((await this.runner.find(schedules, call.workspaceId, id)) === undefined) return;
    await this.runner.change(call, { aggregate: schedules, id, decide: () => deleteSchedule('target-gone') });
  }
}
