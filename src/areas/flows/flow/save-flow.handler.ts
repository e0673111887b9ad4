import { isDeepStrictEqual } from 'node:util';
import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import type { Agent } from '../../workspace/agent/agent.record.js';
import { StepFunctions } from '../step-functions.js';
import { checkedSteps } from './check-steps.js';
import { createFlow, runsOtherwise, updateFlow } from './flow.js';
import { CreateFlow, reserve, UpdateFlow } from './flow.operations.js';
import { type Flow, flows } from './flow.record.js';
import { type FlowRecord, flowRecord } from './flow-shapes.js';

/** Looks up whether a calling agent may create things that run. */
@CommandHandler(CreateFlow)
export class CreateFlowHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly functions: StepFunctions,
  ) {}

  async execute(input: CreateFlow): Promise<FlowRecord> {
    const call = callOf(input);
    await this.checkAgent(call);
    const { name, description = '' } = input;
    const steps = await this.functions.settled(call, checkedSteps(input.steps));
    (await this.functions.judge(call, steps))();
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

/**
 * In old logs, steps refer to functions by name. The names are replaced by ids as soon as the steps are saved or the
 * flow is activated.
 */
@CommandHandler(UpdateFlow)
export class UpdateFlowHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly functions: StepFunctions,
  ) {}

  async execute(input: UpdateFlow): Promise<FlowRecord> {
    const call = callOf(input);
    const { id, steps: sent, ...change } = input;
    const checked = sent && checkedSteps(sent);
    const found = (await this.runner.find(flows, call.workspaceId, id)) ?? flows.missing();
    const activates = input.isActive === true && !found.isActive;
    const settled = await this.functions.settled(call, checked ?? (activates ? found.steps : []));
    const judge = await this.functions.judge(call, checked === undefined ? found.steps : settled);
    const steps = checked !== undefined || activates ? { steps: settled } : {};
    const { name } = input;
    const flow = await this.runner.change(call, {
      aggregate: flows,
      id,
      decide: (now = flows.missing()) => {
        // The steps were checked as read before this command; they may have changed since.
        if (checked === undefined && activates && !isDeepStrictEqual(now.steps, found.steps)) changedSince(now);
        const events = updateFlow(now, { ...change, ...steps }, call.actor);
        if (events.some(runsOtherwise)) judge();
        return events;
      },
      reserves: (now) => (name === undefined || name === now?.name ? [] : [reserve(name, call.workspaceId, id)]),
    });
    return flow ? flowRecord(flow) : flows.missing();
  }
}

const changedSince = ({ updatedAt }: Flow) => refuse('flow-changed-since', { updatedAt }, { updatedAt });
