import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { deleteSchedule } from './schedule.js';
import { schedules } from './schedule.record.js';

/** Deletes schedules that fire for a target that is gone. */
@Injectable()
export class ScheduleDeletion {
  constructor(private readonly runner: CommandRunner) {}

  /** Deletes one schedule whose target does not exist. Does nothing if the schedule is already deleted. */
  async withoutTarget(id: string, call: Call): Promise<void> {
    if ((await this.runner.find(schedules, call.workspaceId, id)) === undefined) return;
    await this.runner.change(call, { aggregate: schedules, id, decide: () => deleteSchedule('target-gone') });
  }
}
