import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { type ReplaySwitch, ReplaySwitches } from '../../../engine/replay-switches.js';
import { switchReplay } from './schedule.js';
import { schedules } from './schedule.record.js';

/** Whether schedules keep the inputs of their failed runs. */
@Injectable()
export class ScheduleReplaySwitch implements ReplaySwitch {
  constructor(
    private readonly runner: CommandRunner,
    switches: ReplaySwitches,
  ) {
    switches.enter('schedule', this);
  }

  async keepsInput(workspaceId: string, id: string): Promise<boolean | undefined> {
    return (await this.runner.find(schedules, workspaceId, id))?.keepInput;
  }

  async setKeepsInput(call: Call, id: string, keepInput: boolean): Promise<void> {
    await this.runner.change(call, {
      aggregate: schedules,
      id,
      decide: (schedule) => (schedule ? switchReplay(schedule, keepInput) : []),
    });
  }
}
