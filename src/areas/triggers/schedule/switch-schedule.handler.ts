import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { StartableTargets } from '../../../engine/startable-targets.js';
import { switchSchedule } from './schedule.js';
import { SetScheduleActive } from './schedule.operations.js';
import { schedules, targetOf } from './schedule.record.js';

/** Switched on, it starts its target, so whoever does that has to be one who may. */
@CommandHandler(SetScheduleActive)
export class SetScheduleActiveHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly targets: StartableTargets,
  ) {}

  async execute(input: SetScheduleActive): Promise<{ success: true }> {
    const call = callOf(input);
    const { id, isActive } = input;
    const found = (await this.runner.find(schedules, call.workspaceId, id)) ?? schedules.missing();
    const judge = await this.targets.judge(call, targetOf(found));
    await this.runner.change(call, {
      aggregate: schedules,
      id,
      decide: (schedule) => {
        const events = schedule ? switchSchedule(schedule, isActive) : [];
        if (isActive && events.length > 0) judge();
        return events;
      },
    });
    return { success: true };
  }
}
