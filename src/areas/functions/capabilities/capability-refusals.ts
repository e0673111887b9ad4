import { decisionIdIn } from '../../../engine/explain/decision-ids.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { statusOf } from '../../../kernel/refusals/refusal-status.js';
import { CapabilityRefused } from '../../../ports/sandbox.port.js';
import { hasFullDataAccess, type Power } from '../function/function.record.js';
import type { RunScope } from './capability-table.api.js';

/** Turns a refusal into the error that code receives. Other errors are returned unchanged. */
export function refusedCall(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  const { fields } = error.facts;
  const names = Array.isArray(fields) && fields.every((name) => typeof name === 'string') ? fields : undefined;
  return new CapabilityRefused(error.message, error.code, statusOf[error.kind], names, decisionIdIn(error));
}

/** Deny by default: a ctx member that needs a power works only in functions that a person granted it to (Rules 2). */
export function mustHold({ function: fn }: RunScope, power: Power, member: string): void {
  if (power === 'service' ? hasFullDataAccess(fn) : fn.capabilities.includes(power)) return;
  throw new CapabilityRefused(
    `${member} needs the power '${power}', which the function '${fn.name}' does not hold; ask for it with setFunctionCapabilities, and a person allows it.`,
    'power-missing',
    403,
  );
}
