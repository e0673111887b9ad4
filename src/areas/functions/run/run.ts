import { isAutomation, type Starter } from '../../../kernel/callers/starter.js';
import type { AccountFunction } from '../function/function.record.js';
import { rulesOf } from '../function/function-owner.api.js';
import { refuse } from '../functions.refusals.js';

/** How many attempts lost to crashes are repeated before an accepted run is given up. */
const lostAttemptsAllowed = 3;

/** The longest time an accepted run's input is kept, counted from its acceptance. */
export const inputKeptMs = 7 * 24 * 3_600_000;

/**
 * Triggers, machines and code start only active functions. Members may try a workspace function before it is active.
 */
export function mayRun(fn: Pick<AccountFunction, 'isActive' | 'projectId'>, starter: Starter): boolean {
  return fn.isActive || (starter.kind === 'member' && rulesOf(fn).membersRunInactive);
}

/** @throws Refusal target-inactive */
export function mustRun(fn: AccountFunction, starter: Starter): void {
  if (!mayRun(fn, starter)) refuse('target-inactive', { name: fn.name });
}

/** Attempts in total. Only runs started by an automation are retried (Automations API, maxRetries). */
export function attemptsAllowed(fn: Pick<AccountFunction, 'maxRetries'>, starter: Starter): number {
  return 1 + (isAutomation(starter) ? fn.maxRetries : 0);
}

/** Doubles, starting at one second (settled question Q-A07). */
export function retryDelayMs(failedAttempt: number): number {
  return 1_000 * 2 ** (failedAttempt - 1);
}

/** Whether an accepted run is started again after its process died. */
export function startsAgainAfterLoss(attempts: number): boolean {
  return attempts < lostAttemptsAllowed;
}

/** True if the starter gets the refusal directly; otherwise it is recorded as a failed run. */
export function hearsRefusals(starter: Starter): boolean {
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
