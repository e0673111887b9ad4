import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { checkConnectedApps } from '../../functions/function/connected-apps.api.js';
import { members } from '../member/member.record.js';
import { roleOf } from '../rank.js';
import { addAgent } from './agent.js';
import { AddAgent, AgentRecord } from './agent.operations.js';
import { agents } from './agent.record.js';
import { recordedGrants } from './agent-grants.js';
import { AgentTools } from './agent-tools.js';

/** Looks up the person behind the agent: the caller, unless another member is named. */
@CommandHandler(AddAgent)
export class AddAgentHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly tools: AgentTools,
  ) {}

  async execute(input: AddAgent): Promise<AgentRecord> {
    const call = callOf(input);
    await this.tools.check(input.tools, [], call);
    checkConnectedApps(input.grants?.connections, [], 'grants.connections');
    const { memberId = call.caller?.id ?? '', grants, ...sent } = input;
    const person = (await this.runner.find(members, call.workspaceId, memberId)) ?? members.missing();
    const recorded = grants === undefined ? {} : { grants: recordedGrants(grants) };
    const { id, permissions } = call.caller ?? {};
    const adder = { id, role: roleOf(call), managesMembers: permissions?.has('members.manage') ?? true };
    const agent = await this.runner.change(call, {
      aggregate: agents,
      id: call.newId('agent'),
      begins: true,
      decide: () => addAgent({ ...sent, ...recorded }, person, adder),
    });
    return shown(AgentRecord, agent ?? agents.missing());
  }
}
