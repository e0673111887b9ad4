import { isTakingTool } from '../../../engine/authorisation/service-tool.js';
import type { Role } from '../../../kernel/callers/caller.js';
import { isAbove } from '../rank.js';
import { refuse } from '../workspace.refusals.js';
import { type Agent, type AgentEvent, type AgentInput, agents, type NewAgent, steering } from './agent.record.js';

export interface Adder {
  readonly id: string | undefined;
  readonly role: Role;
  readonly managesMembers: boolean;
}

/**
 * The role of the person behind the agent must not be higher than the caller's, and only callers who manage members may
 * choose a person other than themselves.
 */
export function addAgent(
  input: NewAgent,
  person: { readonly id: string; readonly role: Role },
  by: Adder,
): readonly AgentEvent[] {
  if (isAbove(person.role, by.role)) refuse('agent-above-own-role', { role: person.role });
  if (person.id !== by.id && !by.managesMembers) refuse('agent-behind-another');
  return agents.created({ ...input, memberId: person.id });
}

/**
 * Only a person may decide what the agent may create and what it does when it runs. A caller who changes these or the
 * agent's grants must not have a lower role than the person behind the agent.
 * @param behind role of the person behind the agent; undefined if that person was removed
 */
export function updateAgent(
  agent: Agent,
  input: AgentInput,
  byPerson: boolean,
  by: Role = 'owner',
  behind?: Role,
): readonly AgentEvent[] {
  const { canCreateFunctions = agent.canCreateFunctions } = input;
  if (canCreateFunctions !== agent.canCreateFunctions && !byPerson) refuse('agent-creation-by-person');
  const changes = agents.changed(agent, input);
  const changed = changes.flatMap(({ data }) => Object.keys(data));
  if (!byPerson && workFields.some((key) => changed.includes(key))) refuse('agent-work-by-person');
  if (behind !== undefined && isAbove(behind, by) && steering.some((key) => changed.includes(key))) {
    refuse('agent-above-own-role', { role: behind });
  }
  return changes;
}

const workFields = ['instructions', 'model', 'tools', 'asks'];

/**
 * New instructions to an agent with tools that delete count as a deletion, because the agent would follow them in runs
 * that other people start.
 */
export function hasOthersTakingInstructions(event: AgentEvent, before: Agent): boolean {
  if (event.type !== 'AgentUpdated' || event.data.instructions === undefined) return false;
  return (event.data.tools ?? before.tools).some(isTakingTool);
}
