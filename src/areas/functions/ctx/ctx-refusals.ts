import { Logger } from '@nestjs/common';
import { refusalOfError } from '../../../engine/cluster/refusal-of-error.js';
import { decisionIdIn } from '../../../engine/explain/decision-ids.js';
import type { Json } from '../../../kernel/json/json.js';
import { statusOf } from '../../../kernel/refusals/refusal-status.js';
import { throttledLog } from '../../../kernel/throttled-log.js';
import { CapabilityRefused } from '../../../ports/offloaded/sandbox.port.js';
import { hasFullDataAccess, type Power } from '../function/function.record.js';
import type { RunScope } from './run-scope.js';

const warn = throttledLog((sentence) => new Logger('Functions').warn(sentence));

/**
 * Turns an error that callers get as a refusal into one whose code and status functions can read. The status is the one
 * that an HTTP response would have. Faults of the service are returned unchanged.
 */
export function refusedCall(error: unknown): unknown {
  const refusal = refusalOfError(error, warn);
  if (refusal === undefined) return error;
  const { message, code, kind, facts } = refusal;
  const { fields } = facts;
  const names = Array.isArray(fields) && fields.every((name) => typeof name === 'string') ? fields : undefined;
  return new CapabilityRefused(message, code, statusOf[kind], names, decisionIdIn(refusal));
}

export function wrongUse(member: string, what: string): never {
  throw new CapabilityRefused(`${member} ${what}.`, 'invalid-input', 400);
}

/**
 * Only a person can grant a power to a function (Automations API, Rules 2).
 * @throws CapabilityRefused
 */
export function mustHold({ function: fn }: RunScope, power: Power, member: string): void {
  if (power === 'service' ? hasFullDataAccess(fn) : fn.capabilities.includes(power)) return;
  throw new CapabilityRefused(
    `${member} needs the power '${power}', which the function '${fn.name}' does not have; request it with setFunctionCapabilities, and a person can approve it.`,
    'power-missing',
    403,
  );
}

export interface GrantedSite {
  readonly projectId: string;
  readonly readsOnly: boolean;
}

/**
 * The id comes from the sandbox, so it can be any value (Automations API, Grants).
 * @throws CapabilityRefused
 */
export function grantedSite({ grants, name }: RunScope['function'], projectId: Json | undefined): GrantedSite {
  const grant = grants.bases.find((one) => one.projectId === projectId);
  if (grant !== undefined) return { projectId: grant.projectId, readsOnly: grant.access === 'read' };
  const message = `The function '${name}' may not access this site; list it in grants.bases.`;
  throw new CapabilityRefused(message, 'site-not-granted', 403);
}

export const siteReadOnly = (site: string) =>
  new CapabilityRefused(`This function may only read ${site}.`, 'site-read-only', 403);
