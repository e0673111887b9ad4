import type { RefusalKind } from './refusal.js';

/** Which status a kind of no is: in an HTTP answer, and as `error.status` where code hears it (settled questions Q-G02, Q-L02). */
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
