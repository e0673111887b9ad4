import { refusal } from './refusal-entry.js';

export const auditRefusals = {
  'audit-questions-too-many': refusal(
    'limited',
    (about: { most: number }) =>
      `Every question to the audit is on record, and you have asked ${about.most} different ones this hour; page through fewer, wider lists, or go on in the next hour.`,
  ),
  'audit-exports-taken': refusal(
    'limited',
    () => 'As many exports of the audit are under way here as there may be at once; try again when one has ended.',
  ),
} as const;
