import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { derivedId } from '../../../kernel/event/derived-id.js';
import { checkInstall, checkTerms, setFlowTrigger } from './event-trigger.js';
import { SetFlowEventTrigger } from './event-trigger.operations.js';
import { eventTriggers } from './event-trigger.record.js';
import type { TriggerRecord } from './trigger-record.api.js';
import { TriggerTargets } from './trigger-targets.js';
import { TriggerView } from './trigger-view.js';

/** One trigger per node, whoever calls: its id is derived from the flow and the node (settled question Q-E23). */
@CommandHandler(SetFlowEventTrigger)
export class SetFlowEventTriggerHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly targets: TriggerTargets,
    private readonly view: TriggerView,
  ) {}

  async execute(input: SetFlowEventTrigger): Promise<TriggerRecord> {
    const call = callOf(input);
    const { workspaceId } = call;
    const { flowId, triggerId, event, filters, installId } = input;
    checkTerms({ event, filters });
    checkInstall(event, installId, 'installId');
    const wanted = { event, filters, targetKind: 'flow' as const, targetRef: flowId };
    const target = await this.targets.require(call, wanted);
    const id = derivedId('evt', JSON.stringify([workspaceId, flowId, triggerId]));
    if ((await this.runner.find(eventTriggers, workspaceId, id)) === undefined) {
      await this.targets.requireRoom(workspaceId);
    }
    const trigger = await this.runner.change(call, {
      aggregate: eventTriggers,
      id,
      begins: 'perhaps',
      decide: (before) => setFlowTrigger(before, wanted, target.name),
    });
    return trigger ? this.view.one(trigger) : eventTriggers.missing();
  }
}
