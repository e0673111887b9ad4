import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { takesAwayWhen } from '../../../engine/operation/operation.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { resource } from '../../../engine/records/resource.js';
import { members } from '../member/member.record.js';
import { roleOf } from '../rank.js';
import { type Adder, addAgent, hasOthersTakingInstructions, updateAgent } from './agent.js';
import { type Agent, type AgentEvent, agents } from './agent.record.js';
import type { AgentGrants } from './agent-grants.js';
import { AgentTools } from './agent-tools.js';
import { ConnectedApps } from './connected-apps.api.js';

const agent = resource(agents, {
  source: 'Supplementary, workspace',
  group: 'agents',
  tools: 'never',
  callers: ['person', 'connection'],
  reads: 'workspace.read',
  edits: 'agents.manage',
  id: 'agent',
  answer: { called: 'AgentRecord' },
});

export const agentOperations = [
  agent.create('workspace/addAgent', {
    summary: 'Adds an AI agent on behalf of a member.',
    callers: ['person'],
    inject: [CommandRunner, AgentTools, ConnectedApps],
    // If no member is named, the caller becomes the person behind the agent.
    prepare: async ({ tools, grants, memberId }, call, runner, agentTools, apps) => {
      await agentTools.check(tools, [], call);
      const { connections } = (grants ?? {}) as AgentGrants;
      apps.check(connections, [], await apps.known(call.workspaceId, connections), 'grants.connections');
      return (await runner.find(members, call.workspaceId, memberId ?? call.caller?.id ?? '')) ?? members.missing();
    },
    decide: (sent, call, _, person) => addAgent(sent, person, adderOf(call)),
  }),
  agent.update('workspace/updateAgent', {
    summary: 'Updates an agent. Only a person can change canCreateFunctions, instructions, model and tools.',
    takesAway: takesAwayWhen<Agent, AgentEvent>(hasOthersTakingInstructions),
    inject: [CommandRunner, AgentTools, ConnectedApps],
    prepare: async ({ id, tools, grants }, call, runner, agentTools, apps) => {
      const known = (await runner.find(agents, call.workspaceId, id)) ?? agents.missing();
      await agentTools.check(tools, known.tools, call);
      const { connections: granted = [] } = known.grants as AgentGrants;
      const { connections } = (grants ?? {}) as AgentGrants;
      apps.check(connections, granted, await apps.known(call.workspaceId, connections), 'grants.connections');
      return runner.find(members, call.workspaceId, known.memberId);
    },
    decide: (before, sent, call, person) =>
      updateAgent(before, sent, call.caller?.kind === 'person', roleOf(call), person?.role),
  }),
  agent.list('workspace/listAgents', { summary: 'Lists the agents of the workspace, oldest first.' }),
  agent.remove('workspace/removeAgent', {
    summary: 'Removes an agent. Its keys stop working immediately.',
    outside: ['destroys secrets'],
  }),
];

export function adderOf(call: OperationContext): Adder {
  const { id, permissions } = call.caller ?? {};
  return { id, role: roleOf(call), managesMembers: permissions?.has('members.manage') ?? true };
}
