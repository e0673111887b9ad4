import { CommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { callOf } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { checkConnectedApps } from '../../functions/function/connected-apps.api.js';
import { members } from '../member/member.record.js';
import { roleOf } from '../rank.js';
import { updateAgent } from './agent.js';
import { AgentRecord, UpdateAgent } from './agent.operations.js';
import { agents } from './agent.record.js';
import { type AgentGrants, recordedGrants } from './agent-grants.js';
import { AgentTools } from './agent-tools.js';

/** Looks up the tools to be listed, and the person behind the agent. */
@CommandHandler(UpdateAgent)
export class UpdateAgentHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly tools: AgentTools,
  ) {}

  async execute(input: UpdateAgent): Promise<AgentRecord> {
    const call = callOf(input);
    const { id, grants, ...sent } = input;
    const known = (await this.runner.find(agents, call.workspaceId, id)) ?? agents.missing();
    await this.tools.check(input.tools, known.tools, call);
    const { connections: held = [] } = known.grants as AgentGrants;
    checkConnectedApps(grants?.connections, held, 'grants.connections');
    const person = await this.runner.find(members, call.workspaceId, known.memberId);
    const changes = { ...sent, ...(grants && { grants: recordedGrants(grants) }) };
    const agent = await this.runner.change(call, {
      aggregate: agents,
      id,
      decide: (found) =>
        updateAgent(found ?? agents.missing(), changes, call.caller?.kind === 'person', roleOf(call), person?.role),
    });
    return shown(AgentRecord, agent ?? agents.missing());
  }
}
