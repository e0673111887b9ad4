import { isTakingTool } from '../../../engine/authorisation/service-tool.js';
import type { Role } from '../../../kernel/callers/caller.js';
import { isAbove } from '../rank.js';
import { refuse } from '../workspace.refusals.js';
import { type Agent, type AgentEvent, type AgentInput, agents, type NewAgent, steering } from './agent.record.js';

/** The member who adds an agent. With `managesMembers`, they may put another member behind it. */
export interface Adder {
  readonly id: string | undefined;
  readonly role: Role;
  readonly managesMembers: boolean;
}

/**
 * Adds an agent, which acts in the name of a person. That person's role must not be higher than the caller's, and only
 * callers who manage members may choose a person other than themselves.
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
 * Changes an agent. Only a person may decide what it may create and what it does when it runs. The caller's role must
 * not be lower than the role of the person behind the agent if the change affects what the agent does or may do.
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

/** Fields that determine what the agent does when it runs, which only a person may change. */
const workFields = ['instructions', 'model', 'tools', 'asks'];

/**
 * Whether the event gives new instructions to an agent with tools that delete. Such a change is treated like a
 * deletion, because the agent would follow the instructions in runs that other people start.
 */
export function hasOthersTakingInstructions(event: AgentEvent, before: Agent): boolean {
  if (event.type !== 'AgentUpdated' || event.data.instructions === undefined) return false;
  return (event.data.tools ?? before.tools).some(isTakingTool);
}
