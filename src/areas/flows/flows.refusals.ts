import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusing } from '../../kernel/refusals/refusal.js';
import { refusal } from '../../kernel/refusals/refusal-entry.js';

export const flowsRefusals = {
  'flow-not-found': refusal('not-found', () => 'There is no such flow in this workspace; listFlows lists the flows.'),
  'flow-name-taken': refusal(
    'conflict',
    (about: { name: string }) => `Another flow of this workspace is named '${about.name}'; choose another name.`,
  ),
  'flow-changed-since': refusal(
    'conflict',
    (about: { updatedAt: string }) =>
      `The flow was changed at ${about.updatedAt}, after the version that this save is based on; read it again and repeat the change.`,
  ),
  'flow-inactive': refusal(
    'conflict',
    (about: { name: string }) =>
      `The flow '${about.name}' cannot be started: target is INACTIVE. A person activates it with updateFlow isActive true.`,
  ),
  'flow-needs-person': refusal(
    'forbidden',
    (about: { who: string; what: string }) =>
      `A flow has no drafts, so an ${about.who} cannot ${about.what}; a person has to do it.`,
  ),
  'agent-cannot-create-flows': refusal(
    'forbidden',
    () => "This agent may not create flows; a person can switch on its 'Can create functions' with updateAgent.",
  ),
  'flow-run-not-found': refusal(
    'not-found',
    () => 'There is no such run of a flow in this workspace; listFlowRuns lists the runs.',
  ),
};

const known = { ...engineRefusals, ...flowsRefusals };
export const refuse: Refuse<typeof known> = refusing(known);
