import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { eventTriggers } from './event-trigger.events.js';
import { checkInstall, checkTerms, updateEventTrigger } from './event-trigger.js';
import { type TriggerRecord, UpdateEventTrigger } from './event-trigger.operations.js';
import { TriggerView } from './trigger-view.js';

@CommandHandler(UpdateEventTrigger)
export class UpdateEventTriggerHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly view: TriggerView,
  ) {}

  async execute(input: UpdateEventTrigger): Promise<TriggerRecord> {
    const call = callOf(input);
    const { id, ...sent } = input;
    checkTerms(sent);
    const trigger = await this.runner.change(call, {
      aggregate: eventTriggers,
      id,
      decide: (before) => {
        if (before === undefined) return [];
        const config = sent.config ?? before.config;
        checkInstall(sent.event ?? before.event, config.installId, 'config.installId');
        return updateEventTrigger(before, sent);
      },
    });
    return trigger ? this.view.one(trigger) : eventTriggers.missing();
  }
}
