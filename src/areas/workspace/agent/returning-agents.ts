import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { RecordRestore } from '../../../engine/commands/record-restore.js';
import { members } from '../member/member.record.js';
import { addAgent } from './agent.js';
import { adderOf } from './agent.operations.js';
import { agents } from './agent.record.js';
import { AgentTools } from './agent-tools.js';

/**
 * Checks who may restore a deleted agent: only a caller who may add an agent with the same tools for the same member.
 */
export const returningAgents = {
  provide: Symbol('Who may bring agents back'),
  inject: [RecordRestore, CommandRunner, AgentTools],
  useFactory: (returns: RecordRestore, runner: CommandRunner, tools: AgentTools) =>
    returns.checkBefore(agents, async (agent, call) => {
      await tools.check(agent.tools, [], call);
      const person = (await runner.find(members, call.workspaceId, agent.memberId)) ?? members.missing();
      addAgent(agent, person, adderOf(call));
    }),
};
