import { Refusal } from '../../../kernel/refusal.js';
import { statusOf } from '../../../kernel/refusal-status.js';
import { CapabilityRefused } from '../../../ports/sandbox.port.js';

/** Turns a refusal into the error that code receives. Other errors are returned unchanged. */
export function refusedCall(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  return new CapabilityRefused(error.message, error.code, statusOf[error.kind]);
}
