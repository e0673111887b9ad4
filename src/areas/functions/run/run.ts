import { isAutomation, isTrigger, type Starter } from '../../../kernel/callers/starter.js';
import type { FunctionDocument } from '../function/function.record.js';
import { ownerRulesOf } from '../function/function-owner.api.js';
import { refuse } from '../functions.refusals.js';

/** Number of attempts after which an accepted run is abandoned, if its process died in each of them. */
const lostAttemptsAllowed = 3;

/** Retention of an accepted run's input, in milliseconds from its acceptance. */
export const inputKeptMs = 7 * 24 * 3_600_000;

/** Returns false for an inactive function, except that members may try a workspace function before it is active. */
export function mayRun(fn: Pick<FunctionDocument, 'isActive' | 'projectId'>, starter: Starter): boolean {
  return fn.isActive || (starter.kind === 'member' && ownerRulesOf(fn).membersRunInactive);
}

/** @throws Refusal target-inactive */
export function mustRun(fn: FunctionDocument, starter: Starter): void {
  if (!mayRun(fn, starter)) refuse('target-inactive', { name: fn.name });
}

/**
 * Returns the maximum number of attempts. Only runs started by an automation are retried (Automations API, maxRetries).
 */
export function attemptsAllowed(fn: Pick<FunctionDocument, 'maxRetries'>, starter: Starter): number {
  return 1 + (isAutomation(starter) ? fn.maxRetries : 0);
}

/** Returns the delay before a retry. It doubles with each attempt, starting at one second (Q-A07). */
export function retryDelayMs(failedAttempt: number): number {
  return 1_000 * 2 ** (failedAttempt - 1);
}

/** Whether an accepted run gets another attempt after its process died. `attempts` includes the lost one. */
export function startsAgainAfterLoss(attempts: number): boolean {
  return attempts < lostAttemptsAllowed;
}

/** Whether the starter receives a refusal directly. For other starters, a failed run is recorded instead. */
export const getsRefusals = (starter: Starter): boolean => !isTrigger(starter);
