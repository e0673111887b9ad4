import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusing } from '../../kernel/refusals/refusal.js';
import { refusal } from '../../kernel/refusals/refusal-entry.js';
import { auditRefusals } from '../audit/audit.refusals.js';

/** What cards, notices and undoing by them refuse. */
export const approvalsRefusals = {
  'pending-change-not-found': refusal(
    'not-found',
    () => 'There is no such pending change in this workspace; listPendingChanges shows those there are.',
  ),
  'pending-change-decided': refusal(
    'conflict',
    (about: { status: string }) => `This change is no longer pending: it is ${about.status}. Nothing was done.`,
  ),
  'pending-change-not-as-seen': refusal(
    'conflict',
    () => 'This is not the change that was seen: its hash is another. Look at it again, and send the hash it has now.',
  ),
  'pending-change-not-void': refusal(
    'conflict',
    (about: { status: string }) =>
      `This change is ${about.status}, so it is not asked for again: only one that failed or expired is.`,
  ),
  'call-asked-again': refusal(
    'conflict',
    (about: { operation: string }) =>
      `This card is of a call of ${about.operation}, whose input is no longer kept. Make the call again, or have it made again.`,
  ),
  'asked-call-gone': refusal(
    'conflict',
    () => 'The input of this call is no longer kept, so nothing was done. Have the call made again.',
  ),
  'asker-gone': refusal(
    'conflict',
    (about: { name: string }) =>
      `The key or agent of ${about.name} that asked for this is no longer valid, so nothing was done. Make the call yourself, or have it made again.`,
  ),
  'only-a-person-decides': refusal(
    'forbidden',
    () => 'Only a person approves or rejects a change, with a key of their own; send the link to one.',
  ),
  'only-an-admin-decides': refusal(
    'forbidden',
    () => 'Only the Owner or an Admin decides on this change; send them the link.',
  ),
  'may-not-decide': refusal(
    'forbidden',
    () => 'Deciding on this change needs the right to edit functions; ask somebody who has it.',
  ),
  'four-eyes': refusal(
    'forbidden',
    () =>
      'In this workspace nobody approves a change that they or their agent asked for, nor one asked for with a key or an agent that they made; another person has to.',
  ),
  'notice-not-found': refusal(
    'not-found',
    () => 'There is no such notice in this workspace; listNotices shows those there are.',
  ),
};

const known = { ...engineRefusals, ...auditRefusals, ...approvalsRefusals };
export const refuse: Refuse<typeof known> = refusing(known);
