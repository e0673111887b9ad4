import { eachCall, invalid, refusal } from './refusal-entry.js';

export const auditRefusals = {
  'audit-not-as-sealed': refusal(
    'conflict',
    (about: { why: string }) =>
      `What the log holds is not what was sealed: ${about.why}. Nothing is signed over it; an operator can have audit:verify say more, and an export without from has what comes before.`,
  ),
  'audit-questions-too-many': refusal(
    'limited',
    (about: { most: number }) =>
      `Every question to the audit is on record, and you have asked ${about.most} different ones this hour; page through fewer, wider lists, or go on in the next hour.`,
  ),
  'audit-exports-taken': refusal(
    'limited',
    () => 'As many exports of the audit are under way here as there may be at once; try again when one has ended.',
  ),
  'audit-time-wrong': invalid(
    eachCall,
    () => 'Say when by exactly one of at, an ISO 8601 time, and position, as lists of events show it.',
  ),
  'audit-time-in-future': invalid(
    eachCall,
    (about: { at: string }) => `${about.at} has not come yet: ask about a time that has passed.`,
  ),
  'audit-position-beyond-log': invalid(
    eachCall,
    (about: { position: number }) =>
      `Nothing is recorded at position ${about.position} yet: send the position of an event that a list shows.`,
  ),
  'undo-impossible': refusal('conflict', (about: { why: string }) => `This change cannot be undone. ${about.why}`),
  'undo-conflict': refusal(
    'conflict',
    () =>
      'The resource has changed since, so undoing this would undo more; undo the later changes first, or make the change you want.',
  ),
} as const;
