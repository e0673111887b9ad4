import type { RefusalKind } from './refusal.js';

/** Used in HTTP responses and as `error.status` in customers' code. */
export const statusOf: Readonly<Record<RefusalKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  method: 405,
  conflict: 409,
  'too-large': 413,
  'media-type': 415,
  failed: 422,
  limited: 429,
  unavailable: 503,
};
