import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { refuse } from '../triggers.refusals.js';
import { createSchedule } from './schedule.js';
import { type Schedule, type ScheduleFacts, schedules } from './schedule.record.js';

/** Protects the schedule clockwork. Simultaneous calls may exceed it by a few, which does no harm. */
const mostSchedules = 1_000;

/** Records new schedules, whichever operation asks for them. */
@Injectable()
export class NewSchedules {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
  ) {}

  /** @throws Refusal schedules-full */
  async create(call: Call, facts: ScheduleFacts, isActive = true): Promise<Schedule> {
    if ((await this.reads.count(call.workspaceId, 'schedules')) >= mostSchedules) {
      refuse('schedules-full', { limit: mostSchedules });
    }
    const id = call.newId('sch');
    const decide = () => createSchedule(facts, isActive);
    return (await this.runner.change(call, { aggregate: schedules, id, begins: true, decide })) ?? schedules.missing();
  }
}
