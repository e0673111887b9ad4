import { isAutomation, type Starter } from '../../../kernel/callers/starter.js';
import type { FunctionDocument } from '../function/function.record.js';
import { ownerRulesOf } from '../function/function-owner.api.js';
import { refuse } from '../functions.refusals.js';

/** Number of attempts lost to crashes before an accepted run is abandoned. */
const lostAttemptsAllowed = 3;

/** Retention of an accepted run's input, from its acceptance. */
export const inputKeptMs = 7 * 24 * 3_600_000;

/** Triggers, machines and code start only active functions. Members may try inactive functions of the workspace. */
export function mayRun(fn: Pick<FunctionDocument, 'isActive' | 'projectId'>, starter: Starter): boolean {
  return fn.isActive || (starter.kind === 'member' && ownerRulesOf(fn).membersRunInactive);
}

/** @throws Refusal target-inactive */
export function mustRun(fn: FunctionDocument, starter: Starter): void {
  if (!mayRun(fn, starter)) refuse('target-inactive', { name: fn.name });
}

/** Total number of attempts. Only runs started by an automation are retried (Automations API, maxRetries). */
export function attemptsAllowed(fn: Pick<FunctionDocument, 'maxRetries'>, starter: Starter): number {
  return 1 + (isAutomation(starter) ? fn.maxRetries : 0);
}

/** Returns the delay before a retry. It doubles with each attempt, starting at one second (Q-A07). */
export function retryDelayMs(failedAttempt: number): number {
  return 1_000 * 2 ** (failedAttempt - 1);
}

/** Whether an accepted run is retried after its process died. */
export function startsAgainAfterLoss(attempts: number): boolean {
  return attempts < lostAttemptsAllowed;
}

/** Whether the starter gets the refusal directly; otherwise it is recorded as a failed run. */
export function getsRefusals(starter: Starter): boolean {
  switch (starter.kind) {
    case 'member':
    case 'agent':
    case 'function':
    case 'automation':
    case 'flow':
    case 'user':
    case 'visitor':
      return true;
    case 'webhook':
    case 'schedule':
    case 'mailhook':
    case 'event':
      return false;
  }
}
