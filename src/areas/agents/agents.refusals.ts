import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusing } from '../../kernel/refusals/refusal.js';
import { refusal } from '../../kernel/refusals/refusal-entry.js';
import { functionsRefusals } from '../functions/functions.refusals.js';
import { workspaceRefusals } from '../workspace/workspace.refusals.js';

export const agentsRefusals = {
  'agent-inactive': refusal(
    'conflict',
    (about: { name: string }) =>
      `The agent '${about.name}' cannot be run: target is INACTIVE. Activate it with updateAgent isActive true.`,
  ),
  'agent-run-not-allowed': refusal(
    'forbidden',
    (about: { name: string; kind: 'agent' | 'function' }) =>
      `The agent '${about.name}' may not be started, nor given a trigger, by ${about.kind === 'agent' ? 'another agent' : 'a function'}; a person has to do it.`,
  ),
  'agent-without-person': refusal(
    'conflict',
    (about: { name: string }) =>
      `The person behind the agent '${about.name}' is no longer a member, so the agent may not do anything; add another agent.`,
  ),
  'agent-run-not-found': refusal(
    'not-found',
    () => 'There is no such run of an agent in this workspace; listAgentRuns lists the runs.',
  ),
};

const known = { ...engineRefusals, ...workspaceRefusals, ...functionsRefusals, ...agentsRefusals };

export type AgentRefusalCode = keyof typeof known;

export const refuse: Refuse<typeof known> = refusing(known);
