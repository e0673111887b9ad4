import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { addEventTrigger, checkInstall, checkTerms } from './event-trigger.js';
import { AddEventTrigger } from './event-trigger.operations.js';
import { eventTargetKindOf, eventTriggers } from './event-trigger.record.js';
import type { TriggerRecord } from './trigger-record.api.js';
import { TriggerTargets } from './trigger-targets.js';
import { TriggerView } from './trigger-view.js';

/** The target must exist (settled question Q-E18), and the caller must be allowed to start it. */
@CommandHandler(AddEventTrigger)
export class AddEventTriggerHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly targets: TriggerTargets,
    private readonly view: TriggerView,
  ) {}

  async execute(input: AddEventTrigger): Promise<TriggerRecord> {
    const call = callOf(input);
    checkTerms(input);
    checkInstall(input.event, input.config?.installId, 'config.installId');
    const targetKind = eventTargetKindOf(input.targetKind);
    const target = await this.targets.require(call, { ...input, targetKind });
    await this.targets.requireRoom(call.workspaceId);
    const trigger = await this.runner.change(call, {
      aggregate: eventTriggers,
      id: call.newId('evt'),
      begins: true,
      decide: () => addEventTrigger({ ...input, targetKind }, target.name),
    });
    return trigger ? this.view.one(trigger) : eventTriggers.missing();
  }
}
