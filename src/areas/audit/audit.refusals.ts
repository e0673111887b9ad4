import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusing } from '../../kernel/refusals/refusal.js';
import { eachCall, invalid, refusal } from '../../kernel/refusals/refusal-entry.js';
import { appUsersRefusals } from '../app-users/app-users.refusals.js';

/** What the audit refuses: reading the log, explaining decisions, undoing changes. */
export const auditRefusals = {
  'explained-resource-not-found': refusal(
    'not-found',
    (about: { kind: string; operation?: string }) =>
      `There is no such ${about.kind} with rules in this project${about.operation === undefined ? '' : `, or it takes no ${about.operation}`}; getAccessOverview lists what has rules. For channels send a saved pattern as id, and for channels, fields and variables the projectId.`,
  ),
  'audit-questions-too-many': refusal(
    'limited',
    (about: { most: number }) =>
      `Every question to the audit is on record, and you have asked ${about.most} different ones this hour; page through fewer, wider lists, or go on in the next hour.`,
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
  'undo-conflict': refusal(
    'conflict',
    () =>
      'The resource has changed since, so undoing this would undo more; undo the later changes first, or make the change you want.',
  ),
  'decision-not-found': refusal(
    'not-found',
    () =>
      'There is no such decision of the last 30 days that you may see; send the decisionId of a refusal whole, as somebody who may change what refused it.',
  ),
  'decision-too-old': refusal(
    'not-found',
    (about: { at: string }) =>
      `This decision was made at ${about.at}, and decisions are explained for 30 days; make the call again for a new one.`,
  ),
};

const known = { ...engineRefusals, ...appUsersRefusals, ...auditRefusals };
export const refuse: Refuse<typeof known> = refusing(known);
