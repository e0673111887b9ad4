import { isDeepStrictEqual } from 'node:util';
import type { Role } from '../../../kernel/caller.js';
import type { JsonObject } from '../../../kernel/json.js';
import { refuse } from '../../../kernel/refusal.js';
import { isAbove } from '../rank.js';
import type { Agent, AgentEvent } from './agent.events.js';

export interface AgentInput {
  readonly name: string;
  readonly canCreateFunctions?: boolean;
  readonly grants?: JsonObject;
}

/** What an agent does is done in its person's name, so nobody puts one behind somebody above themselves. */
export function addAgent(
  input: AgentInput,
  person: { readonly id: string; readonly role: Role },
  by: Role,
): readonly AgentEvent[] {
  if (isAbove(person.role, by)) refuse('agent-above-own-role', { role: person.role });
  const { name, canCreateFunctions = false, grants = {} } = input;
  return [{ type: 'AgentAdded', data: { name, memberId: person.id, canCreateFunctions, grants, isActive: true } }];
}

export function updateAgent(
  agent: Agent,
  input: Partial<AgentInput> & { readonly isActive?: boolean },
  byPerson: boolean,
): readonly AgentEvent[] {
  const { name = agent.name, canCreateFunctions = agent.canCreateFunctions } = input;
  const { grants = agent.grants, isActive = agent.isActive } = input;
  if (canCreateFunctions !== agent.canCreateFunctions && !byPerson) refuse('agent-creation-by-person');
  const data = {
    ...(name === agent.name ? {} : { name }),
    ...(canCreateFunctions === agent.canCreateFunctions ? {} : { canCreateFunctions }),
    ...(isDeepStrictEqual(grants, agent.grants) ? {} : { grants }),
    ...(isActive === agent.isActive ? {} : { isActive }),
  };
  return Object.keys(data).length === 0 ? [] : [{ type: 'AgentUpdated', data }];
}

export function removeAgent(): readonly AgentEvent[] {
  return [{ type: 'AgentRemoved', data: {} }];
}
