import { Refusal } from '../../../kernel/refusal.js';
import { statusOf } from '../../../kernel/refusal-status.js';
import { CapabilityRefused } from '../../../ports/sandbox.port.js';

/** A no of ours as code hears it. Anything else comes back as it is. */
export function refusedCall(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  return new CapabilityRefused(error.message, error.code, statusOf[error.kind]);
}
