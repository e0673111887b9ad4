import { Refusal, type RefusalKind } from '../../kernel/refusal.js';
import { CapabilityRefused } from '../../ports/sandbox.port.js';

/** What code reads as `error.status`. */
const statusOf: Readonly<Record<RefusalKind, number>> = {
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

/** A no of ours as code hears it. Anything else comes back as it is. */
export function refusedCall(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  return new CapabilityRefused(error.message, error.code, statusOf[error.kind]);
}
