import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusing } from '../../kernel/refusals/refusal.js';
import { refusal } from '../../kernel/refusals/refusal-entry.js';
import { auditRefusals } from '../audit/audit.refusals.js';

export const approvalsRefusals = {
  'pending-change-not-found': refusal(
    'not-found',
    () => 'There is no such pending change in this workspace; listPendingChanges lists the pending changes.',
  ),
  'pending-change-decided': refusal('conflict', (about: { status: string }) =>
    about.status === 'approved'
      ? 'This change is approved already, and is made as soon as possible. It cannot be decided again.'
      : `This change is no longer pending: it is ${about.status}. Nothing was done.`,
  ),
  'pending-change-not-as-seen': refusal(
    'conflict',
    () => 'This is not the change that was seen: its hash is different. Look at it again, and send its current hash.',
  ),
  'pending-change-not-void': refusal(
    'conflict',
    (about: { status: string }) =>
      `This change is ${about.status}, so it cannot be requested again: only one that failed or expired can.`,
  ),
  'call-asked-again': refusal(
    'conflict',
    (about: { operation: string }) =>
      `This card is for a call of ${about.operation} whose input is no longer stored. Make the call again, or ask for it to be made again.`,
  ),
  'asked-call-gone': refusal(
    'conflict',
    () => 'The input of this call is no longer stored, so nothing was done. Ask for the call to be made again.',
  ),
  'asker-gone': refusal(
    'conflict',
    (about: { name: string }) =>
      `The key or agent of ${about.name} that requested this is no longer valid, so nothing was done. Make the call yourself, or ask for it to be made again.`,
  ),
  'only-a-person-decides': refusal(
    'forbidden',
    () => 'Only a person can approve or reject a change, with a key of their own; send the link to a person.',
  ),
  'only-an-admin-decides': refusal(
    'forbidden',
    () => 'Only the Owner or an Admin can decide on this change; send them the link.',
  ),
  'may-not-decide': refusal(
    'forbidden',
    () => 'Deciding on this change needs the right to edit functions; ask someone who has it.',
  ),
  'four-eyes': refusal(
    'forbidden',
    () =>
      'In this workspace, people may not approve a change that they or their agent requested, or that was requested with a key or an agent that they created; another person has to approve it.',
  ),
  'notice-not-found': refusal(
    'not-found',
    () => 'There is no such notice in this workspace; listNotices lists the notices.',
  ),
};

const known = { ...engineRefusals, ...auditRefusals, ...approvalsRefusals };
export const refuse: Refuse<typeof known> = refusing(known);
