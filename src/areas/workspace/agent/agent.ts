import { isTakingTool } from '../../../engine/service-tool.js';
import type { Role } from '../../../kernel/caller.js';
import { differing } from '../../../kernel/differing.js';
import type { JsonObject } from '../../../kernel/json.js';
import { refuse } from '../../../kernel/refusal.js';
import { isAbove } from '../rank.js';
import { type Agent, type AgentEvent, steering } from './agent.record.js';

/** What it does when it runs. */
export interface AgentWork {
  readonly instructions?: string;
  readonly model?: string | null;
  readonly tools?: readonly string[];
}

export interface AgentInput extends AgentWork {
  readonly name: string;
  readonly canCreateFunctions?: boolean;
  readonly grants?: JsonObject;
}

/** Who adds an agent: `managesMembers` says whether they may speak for other members. */
export interface Adder {
  readonly id: string | undefined;
  readonly role: Role;
  readonly managesMembers: boolean;
}

/**
 * What an agent does is done in its person's name: nobody puts one behind somebody above themselves, and only who manages
 * members puts one behind anybody else.
 */
export function addAgent(
  input: AgentInput,
  person: { readonly id: string; readonly role: Role },
  by: Adder,
): readonly AgentEvent[] {
  if (isAbove(person.role, by.role)) refuse('agent-above-own-role', { role: person.role });
  if (person.id !== by.id && !by.managesMembers) refuse('agent-behind-another');
  const { canCreateFunctions = false, grants = {}, instructions = '', model = null, tools = [] } = input;
  const { name } = input;
  const work = { instructions, model, tools };
  const data = { name, memberId: person.id, canCreateFunctions, grants, isActive: true, ...work };
  return [{ type: 'AgentAdded', data }];
}

/**
 * What it may create, and what it does when it runs, only a person says, and nobody whose role is below that of the person
 * behind it. `behind`: the role of that person; left out when they are no longer there.
 */
export function updateAgent(
  agent: Agent,
  input: Partial<AgentInput> & { readonly isActive?: boolean },
  byPerson: boolean,
  by: Role = 'owner',
  behind?: Role,
): readonly AgentEvent[] {
  const { canCreateFunctions = agent.canCreateFunctions } = input;
  if (canCreateFunctions !== agent.canCreateFunctions && !byPerson) refuse('agent-creation-by-person');
  const { instructions, model, tools } = input;
  const work = differing<Required<AgentWork>>(agent, { instructions, model, tools });
  if (work !== undefined && !byPerson) refuse('agent-work-by-person');
  const { name, grants, isActive } = input;
  const data = { ...differing<Agent>(agent, { name, canCreateFunctions, grants, isActive }), ...work };
  if (behind !== undefined && isAbove(behind, by) && steering.some((key) => key in data)) {
    refuse('agent-above-own-role', { role: behind });
  }
  return Object.keys(data).length === 0 ? [] : [{ type: 'AgentUpdated', data }];
}

export function removeAgent(): readonly AgentEvent[] {
  return [{ type: 'AgentRemoved', data: {} }];
}

/** Other instructions for an agent that holds tools that take away: it would do so when others run it. */
export function hasOthersTakeAway(event: AgentEvent, before: Agent): boolean {
  if (event.type !== 'AgentUpdated' || event.data.instructions === undefined) return false;
  return (event.data.tools ?? before.tools).some(isTakingTool);
}
