import { invalid, refusal } from './refusal-entry.js';

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
  'pending-change-moved': refusal(
    'conflict',
    (about: { reason: string; isCall?: boolean }) =>
      `${about.reason} Nothing was applied. ${about.isCall ? 'Have the call made again.' : 'Ask for it again: approvals/askAgain makes a new card of it.'}`,
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
  'listed-secret-moved': refusal(
    'conflict',
    () => 'A secret of this list was deleted, or its own hosts were narrowed, since the card was made.',
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
  'undo-unavailable': refusal(
    'conflict',
    (about: { why: string }) => `This can no longer be undone: ${about.why}. Make the change you want instead.`,
  ),
  'last-event-id-invalid': invalid(
    'Last-Event-ID',
    () =>
      'Last-Event-ID has to be an id that this stream has given; send one, or leave it out to hear what happens from now on.',
  ),
  'event-streams-taken': refusal(
    'unavailable',
    () => 'This process has as many event streams open as it can serve; try again later, or ask another process.',
  ),
  'event-streams-of-workspace': refusal(
    'limited',
    () => 'This workspace has as many event streams open here as one workspace may have; close some of them.',
  ),
  'event-streams-of-caller': refusal(
    'limited',
    () => 'You have as many event streams open here as one caller may have; close some of them.',
  ),
} as const;
