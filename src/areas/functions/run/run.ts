import { isAutomation, isTrigger, type Starter } from '../../../kernel/callers/starter.js';
import type { FunctionDocument } from '../function/function.record.js';
import { ownerRulesOf } from '../function/function-owner.api.js';
import { refuse } from '../functions.refusals.js';

const lostAttemptsAllowed = 3;

/** Time for which a run's input is retained, in milliseconds from the time when the run was queued. */
export const inputRetainedMs = 7 * 24 * 3_600_000;

/** Members may try a workspace function before it is active. */
export function mayRun(fn: Pick<FunctionDocument, 'isActive' | 'projectId'>, starter: Starter): boolean {
  return fn.isActive || (starter.kind === 'member' && ownerRulesOf(fn).membersRunInactive);
}

export function mustRun(fn: FunctionDocument, starter: Starter): void {
  if (!mayRun(fn, starter)) refuse('target-inactive', { name: fn.name });
}

/** Only runs started by an automation are retried (Automations API, maxRetries). */
export function attemptsAllowed(fn: Pick<FunctionDocument, 'maxRetries'>, starter: Starter): number {
  return 1 + (isAutomation(starter) ? fn.maxRetries : 0);
}

/** Doubles with each attempt, starting at one second (Q-A07). */
export function retryDelayMs(failedAttempt: number): number {
  return 1_000 * 2 ** (failedAttempt - 1);
}

/** `attempts` includes the attempt whose process died. */
export function startsAgainAfterLoss(attempts: number): boolean {
  return attempts < lostAttemptsAllowed;
}

export const getsRefusals = (starter: Starter): boolean => !isTrigger(starter);
