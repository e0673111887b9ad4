import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { deleteSchedule } from './schedule.js';
import { type Schedule, schedules } from './schedule.record.js';

/** Deletes schedules whose target is gone. */
@Injectable()
export class ScheduleDeletion {
  constructor(
    private readonly reads: Reads,
    private readonly runner: CommandRunner,
  ) {}

  /** Deletes the schedules of a deleted target. `callFor` gives the call for each id. May be repeated. */
  async ofTarget(
    workspaceId: string,
    targetRef: string,
    reason: 'function-deleted' | 'target-gone',
    callFor: (id: string) => Call,
  ): Promise<void> {
    for (const { id, targetKind } of await this.reads.find<Schedule>(workspaceId, 'schedules', {
      where: { targetRef },
    })) {
      // It stays, and each firing becomes a failed run that says that the function is gone (Sites API, Run record).
      if (targetKind === 'site_function') continue;
      await this.runner.change(callFor(id), { aggregate: schedules, id, decide: () => deleteSchedule(reason) });
    }
  }

  /** Deletes one schedule whose target does not exist. Does nothing if the schedule is already deleted. */
  async withoutTarget(id: string, call: Call): Promise<void> {
    if ((await this.runner.find(schedules, call.workspaceId, id)) === undefined) return;
    await this.runner.change(call, { aggregate: schedules, id, decide: () => deleteSchedule('target-gone') });
  }
}
