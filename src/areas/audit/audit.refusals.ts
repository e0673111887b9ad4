import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusing } from '../../kernel/refusals/refusal.js';
import { eachCall, invalid, refusal } from '../../kernel/refusals/refusal-entry.js';
import { appUsersRefusals } from '../app-users/app-users.refusals.js';

export const auditRefusals = {
  'explained-resource-not-found': refusal(
    'not-found',
    (about: { kind: string; operation?: string }) =>
      `There is no such ${about.kind} with rules in this project${about.operation === undefined ? '' : `, or it has no rules for ${about.operation}`}; getAccessOverview lists what has rules. For channels send a saved pattern as id, and for channels, fields and variables the projectId.`,
  ),
  'audit-questions-too-many': refusal(
    'limited',
    (about: { most: number }) =>
      `Every query of the audit is recorded, and you have made ${about.most} different ones this hour; request fewer, longer lists, or continue in the next hour.`,
  ),
  'audit-time-wrong': invalid(
    eachCall,
    () => 'Specify the time by exactly one of at, an ISO 8601 time, and position, as returned in lists of events.',
  ),
  'audit-time-in-future': invalid(
    eachCall,
    (about: { at: string }) => `${about.at} is in the future; send a time in the past.`,
  ),
  'audit-position-beyond-log': invalid(
    eachCall,
    (about: { position: number }) =>
      `Nothing has been recorded at position ${about.position} yet; send the position of a listed event.`,
  ),
  'undo-conflict': refusal(
    'conflict',
    () =>
      'The resource has changed since, so undoing this change would also undo later ones; undo those first, or make the change you want.',
  ),
  'decision-not-found': refusal(
    'not-found',
    () =>
      'There is no such decision of the last 30 days that you may see; send the complete decisionId of a refusal, as a member who may change the rule or right that caused it.',
  ),
  'decision-too-old': refusal(
    'not-found',
    (about: { at: string }) =>
      `This decision was made at ${about.at}, and decisions are explained for 30 days; make the call again for a new one.`,
  ),
};

const known = { ...engineRefusals, ...appUsersRefusals, ...auditRefusals };
export const refuse: Refuse<typeof known> = refusing(known);
