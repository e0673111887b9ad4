import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { checkInstall, checkTerms, startsOtherwise, updateEventTrigger } from './event-trigger.js';
import { UpdateEventTrigger } from './event-trigger.operations.js';
import { eventTriggers } from './event-trigger.record.js';
import type { TriggerRecord } from './trigger-record.api.js';
import { TriggerTargets } from './trigger-targets.js';
import { TriggerView } from './trigger-view.js';

/**
 * A change of when a trigger fires, or of what it passes on, starts its target accordingly. So the caller must be
 * allowed to start that target.
 */
@CommandHandler(UpdateEventTrigger)
export class UpdateEventTriggerHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly targets: TriggerTargets,
    private readonly view: TriggerView,
  ) {}

  async execute(input: UpdateEventTrigger): Promise<TriggerRecord> {
    const call = callOf(input);
    const { id, ...sent } = input;
    checkTerms(sent);
    const found = (await this.runner.find(eventTriggers, call.workspaceId, id)) ?? eventTriggers.missing();
    const judge = await this.targets.judge(call, found);
    const trigger = await this.runner.change(call, {
      aggregate: eventTriggers,
      id,
      decide: (before) => {
        if (before === undefined) return [];
        const config = sent.config ?? before.config;
        checkInstall(sent.event ?? before.event, config.installId, 'config.installId');
        const events = updateEventTrigger(before, sent);
        if (events.some(startsOtherwise)) judge();
        return events;
      },
    });
    return trigger ? this.view.one(trigger) : eventTriggers.missing();
  }
}
