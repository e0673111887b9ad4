import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { refuse } from '../triggers.refusals.js';
import { createSchedule } from './schedule.js';
import { type Schedule, type ScheduleFacts, schedules } from './schedule.record.js';

/** Limit per workspace. Concurrent calls may exceed it slightly, which is harmless. */
const mostSchedules = 1_000;

@Injectable()
export class NewSchedules {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
  ) {}

  async create(call: OperationContext, facts: ScheduleFacts, isActive = true): Promise<Schedule> {
    if ((await this.reads.count(call.workspaceId, 'schedules')) >= mostSchedules) {
      refuse('schedules-full', { limit: mostSchedules });
    }
    const id = call.newId('sch');
    const decide = () => createSchedule(facts, isActive);
    return (await this.runner.change(call, { aggregate: schedules, id, begins: true, decide })) ?? schedules.missing();
  }
}
