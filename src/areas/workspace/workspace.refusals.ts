import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusing } from '../../kernel/refusals/refusal.js';
import { refusal } from '../../kernel/refusals/refusal-entry.js';

export const workspaceRefusals = {
  'ai-credit-lapsed': refusal(
    'unavailable',
    () => 'The work took longer than its AI credit is reserved for, so nothing was charged; send the call again.',
  ),
  'older-runs-off': refusal(
    'forbidden',
    () => 'Older runs are not available in this workspace; omit before, or switch runsTab on with updateSettings.',
  ),
  'workspace-not-found': refusal('not-found', () => 'There is no such workspace.'),
  'member-not-found': refusal(
    'not-found',
    () => 'There is no such member in this workspace; listMembers lists the members.',
  ),
  /** The contract defines this text. It is the same if the conversation belongs to another member. */
  'chat-not-found': refusal('not-found', () => 'Conversation not found'),
  'chat-needs-person': refusal(
    'forbidden',
    () => "A conversation belongs to a person, but this key belongs to none; use a person's key.",
  ),
  'member-email-taken': refusal(
    'conflict',
    (about: { email: string }) =>
      `Another member of this workspace has the email ${about.email}; update that member, or use another email.`,
  ),
  'member-above-own-role': refusal(
    'forbidden',
    (about: { role: string }) =>
      `This member is the workspace's ${about.role}, which your role may not change; ask the ${about.role}.`,
  ),
  'role-above-own': refusal(
    'forbidden',
    (about: { role: string; own: string }) =>
      `The role ${about.role} is above your own (${about.own}); choose a lower one, or ask a member who has it.`,
  ),
  'owner-stays': refusal(
    'conflict',
    () =>
      'A workspace must always have its Owner, who cannot be removed or given another role; change another member instead.',
  ),
  'agent-not-found': refusal(
    'not-found',
    () => 'There is no such agent in this workspace; listAgents lists the agents.',
  ),
  'agent-above-own-role': refusal(
    'forbidden',
    (about: { role: string }) =>
      `An agent acts on behalf of a member, and this member's role (${about.role}) is above yours; add the agent on your own behalf.`,
  ),
  'agent-behind-another': refusal(
    'forbidden',
    () =>
      'Only the Owner and Admins can add an agent on behalf of another member; omit memberId to add it on your own behalf, or ask them.',
  ),
  'agent-creation-by-person': refusal(
    'forbidden',
    () => "Only a person can change an agent's canCreateFunctions; omit it, or use a person's key.",
  ),
  'agent-work-by-person': refusal(
    'forbidden',
    () => "Only a person can change an agent's instructions, model and tools; omit them, or use a person's key.",
  ),
  'agent-tool-not-yours': refusal(
    'forbidden',
    (about: { tool: string }) =>
      `You can give an agent only tools that you may use yourself, and ${about.tool} is not one of them; omit it.`,
  ),
  'api-key-not-found': refusal(
    'not-found',
    () => 'There is no such API key in this workspace; listApiKeys lists the keys.',
  ),
  'key-above-own-role': refusal(
    'forbidden',
    (about: { role: string }) =>
      `The key has, or would have, the rights of a member whose role (${about.role}) is above yours; ask that member.`,
  ),
  'key-outlives-own': refusal(
    'forbidden',
    (about: { expiresAt: string }) =>
      `The key that you use expires at ${about.expiresAt} and cannot create a key that expires later; send an earlier expiresAt, omit it, or use another key.`,
  ),
  'key-reaches-further': refusal(
    'forbidden',
    () =>
      'A restricted key can only create keys with at most its own reach; omit areas and functions, or use another key.',
  ),
  'key-must-never-delete': refusal(
    'forbidden',
    () =>
      'A key that never deletes can only create keys that never delete; send neverDeletes true, or use another key.',
  ),
};

const known = { ...engineRefusals, ...workspaceRefusals };
export const refuse: Refuse<typeof known> = refusing(known);
