import { no } from './no.js';

export const auditRefusals = {
  'audit-questions-too-many': no(
    'limited',
    (about: { most: number }) =>
      `Every question to the audit is on record, and you have asked ${about.most} different ones this hour; page through fewer, wider lists, or go on in the next hour.`,
  ),
} as const;
