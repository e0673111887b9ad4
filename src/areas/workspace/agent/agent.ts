import { isTakingTool } from '../../../engine/authorisation/service-tool.js';
import type { AskMode, Role } from '../../../kernel/callers/caller.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { differing } from '../../../kernel/record/differing.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { isAbove } from '../rank.js';
import { type Agent, type AgentEvent, steering } from './agent.record.js';

/** What it does when it runs. */
export interface AgentWork {
  readonly instructions?: string;
  readonly model?: string | null;
  readonly tools?: readonly string[];
  /** Which of its commands wait for a person. */
  readonly asks?: AskMode;
}

export interface AgentInput extends AgentWork {
  readonly name: string;
  readonly canCreateFunctions?: boolean;
  readonly grants?: JsonObject;
}

/** The member who adds an agent. `managesMembers`: whether they may act for other members. */
export interface Adder {
  readonly id: string | undefined;
  readonly role: Role;
  readonly managesMembers: boolean;
}

/**
 * An agent acts in its person's name. So nobody may put it behind a member above themselves, and only somebody who
 * manages members may put it behind anyone else.
 */
export function addAgent(
  input: AgentInput,
  person: { readonly id: string; readonly role: Role },
  by: Adder,
): readonly AgentEvent[] {
  if (isAbove(person.role, by.role)) refuse('agent-above-own-role', { role: person.role });
  if (person.id !== by.id && !by.managesMembers) refuse('agent-behind-another');
  const { canCreateFunctions = false, grants = {}, instructions = '', model = null, tools = [] } = input;
  const { name, asks = 'risky' } = input;
  const work = { instructions, model, tools, asks };
  const data = { name, memberId: person.id, canCreateFunctions, grants, isActive: true, ...work };
  return [{ type: 'AgentAdded', data }];
}

/**
 * Only a person decides what an agent may create and what it does when it runs, and only one whose role is not below
 * that of the person behind it. `behind`: that person's role; left out when they have been removed.
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
  const { instructions, model, tools, asks } = input;
  const work = differing<Required<AgentWork>>(agent, { instructions, model, tools, asks });
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

/** New instructions for an agent that has tools that delete: it would follow them when others run it. */
export function hasOthersTakeAway(event: AgentEvent, before: Agent): boolean {
  if (event.type !== 'AgentUpdated' || event.data.instructions === undefined) return false;
  return (event.data.tools ?? before.tools).some(isTakingTool);
}
