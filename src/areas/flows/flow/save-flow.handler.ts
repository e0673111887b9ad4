import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/command-runner.js';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Agent } from '../../workspace/agent/agent.events.js';
import { checkedSteps } from './check-steps.js';
import { flows } from './flow.events.js';
import { createFlow, updateFlow } from './flow.js';
import { CreateFlow, reserve, UpdateFlow } from './flow.operations.js';
import type { FlowRecord } from './flow-shapes.js';
import { flowRecord } from './flow-view.js';

/** Looks up whether an agent that asks may create what runs. */
@CommandHandler(CreateFlow)
export class CreateFlowHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
  ) {}

  async execute(input: CreateFlow): Promise<FlowRecord> {
    const call = callOf(input);
    await this.checkAgent(call);
    const { name, description = '' } = input;
    const steps = checkedSteps(input.steps);
    const id = call.newId('flow');
    const flow = await this.runner.change(call, {
      aggregate: flows,
      id,
      begins: true,
      decide: () => createFlow({ name, description, steps }),
      reserves: () => [reserve(name, call.workspaceId, id)],
    });
    return flow ? flowRecord(flow) : flows.missing();
  }

  private async checkAgent({ caller, workspaceId }: Call): Promise<void> {
    if (caller?.kind !== 'agent') return;
    const agent = await this.reads.get<Agent>(workspaceId, 'agents', caller.id);
    if (!agent?.canCreateFunctions) refuse('agent-cannot-create-flows');
  }
}

@CommandHandler(UpdateFlow)
export class UpdateFlowHandler {
  constructor(private readonly runner: CommandRunner) {}

  async execute(input: UpdateFlow): Promise<FlowRecord> {
    const call = callOf(input);
    const { id, steps, ...change } = input;
    const wanted = { ...change, ...(steps === undefined ? {} : { steps: checkedSteps(steps) }) };
    const { name } = wanted;
    const flow = await this.runner.change(call, {
      aggregate: flows,
      id,
      decide: (found) => updateFlow(found ?? flows.missing(), wanted, call.actor),
      reserves: (found) => (name === undefined || name === found?.name ? [] : [reserve(name, call.workspaceId, id)]),
    });
    return flow ? flowRecord(flow) : flows.missing();
  }
}
