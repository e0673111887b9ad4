import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusing } from '../../kernel/refusals/refusal.js';
import { refusal } from '../../kernel/refusals/refusal-entry.js';

export const workspaceRefusals = {
  'ai-credit-lapsed': refusal(
    'unavailable',
    () => 'The work took longer than its AI credit is reserved, and nothing was charged; send the call again.',
  ),
  'older-runs-off': refusal(
    'forbidden',
    () =>
      'Older runs are not switched on in this workspace; leave before out, or switch runsTab on with updateSettings.',
  ),
  'workspace-not-found': refusal('not-found', () => 'There is no such workspace.'),
  'member-not-found': refusal(
    'not-found',
    () => 'There is no such member in this workspace; listMembers shows those there are.',
  ),
  /** The contract defines this text. It is the same if the conversation belongs to another member. */
  'chat-not-found': refusal('not-found', () => 'Conversation not found'),
  'chat-needs-person': refusal(
    'forbidden',
    () => 'A conversation belongs to a person, and nobody is behind this key; send the key of a person.',
  ),
  'member-email-taken': refusal(
    'conflict',
    (about: { email: string }) =>
      `Another member of this workspace has the email ${about.email}; change that member, or use another email.`,
  ),
  'member-above-own-role': refusal(
    'forbidden',
    (about: { role: string }) =>
      `This member is the workspace's ${about.role}, whom your role may not change; ask the ${about.role}.`,
  ),
  'role-above-own': refusal(
    'forbidden',
    (about: { role: string; own: string }) =>
      `The role ${about.role} is above your own (${about.own}); give a lower one, or ask somebody who has it.`,
  ),
  'owner-stays': refusal(
    'conflict',
    () =>
      'A workspace always keeps its Owner, who cannot be removed or given another role; change another member instead.',
  ),
  'agent-not-found': refusal(
    'not-found',
    () => 'There is no such agent in this workspace; listAgents shows those there are.',
  ),
  'agent-above-own-role': refusal(
    'forbidden',
    (about: { role: string }) =>
      `An agent acts in its person's name, and this person's role (${about.role}) is above yours; put yourself behind it.`,
  ),
  'agent-behind-another': refusal(
    'forbidden',
    () =>
      'Only the Owner and Admins put an agent behind another member; leave memberId out to be behind it yourself, or ask them.',
  ),
  'agent-creation-by-person': refusal(
    'forbidden',
    () => "Only a person switches an agent's canCreateFunctions; leave it out, or use a person's key.",
  ),
  'agent-work-by-person': refusal(
    'forbidden',
    () => "Only a person changes an agent's instructions, model and tools; leave them out, or use a person's key.",
  ),
  'agent-tool-not-yours': refusal(
    'forbidden',
    (about: { tool: string }) =>
      `Only tools that you may use yourself can be given to an agent, and ${about.tool} is not; leave it out.`,
  ),
  'api-key-not-found': refusal(
    'not-found',
    () => 'There is no such API key in this workspace; listApiKeys shows those there are.',
  ),
  'key-above-own-role': refusal(
    'forbidden',
    (about: { role: string }) =>
      `The key would carry or carries the rights of a member whose role (${about.role}) is above yours; ask that member.`,
  ),
  'key-outlives-own': refusal(
    'forbidden',
    (about: { expiresAt: string }) =>
      `The key that you use ends at ${about.expiresAt}, and makes none that ends later; send an earlier expiresAt, leave it out, or use another key.`,
  ),
  'key-reaches-further': refusal(
    'forbidden',
    () =>
      'A narrowed key makes only keys that reach no further than itself; leave areas and functions out, or use another key.',
  ),
  'key-must-never-delete': refusal(
    'forbidden',
    () => 'A key that never deletes makes only keys that never delete; send neverDeletes true, or use another key.',
  ),
};

const known = { ...engineRefusals, ...workspaceRefusals };
export const refuse: Refuse<typeof known> = refusing(known);
