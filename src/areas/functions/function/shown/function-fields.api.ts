import { largestCode } from '../function.record.js';

export const functionFields = {
  name: { type: 'string', minLength: 1, maxLength: 200 },
  text: { type: 'string', maxLength: 10_000, optional: true },
  code: {
    type: 'string',
    optional: true,
    maxLength: largestCode,
    description:
      'A function body with ctx and params in scope, or export default async (params, ctx) => {…}. Imports are not allowed.',
  },
  seenVersion: { type: 'string', minLength: 1, maxLength: 200 },
  maxRetries: { type: 'integer', minimum: 0, maximum: 5, optional: true },
  timeout: {
    type: 'integer',
    minimum: 1_000,
    maximum: 300_000,
    optional: true,
    description: 'Time limit of a run in milliseconds.',
  },
} as const;
