import { isAutomation, type Starter } from '../../../kernel/starter.js';
import type { AccountFunction } from '../function/function.record.js';
import { rulesOf } from '../function/function-owner.api.js';

/** Attempts that a crash of the service took are given again this often before an accepted run is given up. */
const lostAttemptsAllowed = 3;

/** An accepted run's input is kept this long at most, from when it was accepted. */
export const inputKeptMs = 7 * 24 * 3_600_000;

/** Triggers, machines and code start only what is active; members may try a function of the workspace before it is. */
export function mayRun(fn: Pick<AccountFunction, 'isActive' | 'projectId'>, starter: Starter): boolean {
  return fn.isActive || (starter.kind === 'member' && rulesOf(fn).membersRunInactive);
}

/** Attempts in all: retries only when an automation started the run (Automations API, maxRetries). */
export function attemptsAllowed(fn: Pick<AccountFunction, 'maxRetries'>, starter: Starter): number {
  return 1 + (isAutomation(starter) ? fn.maxRetries : 0);
}

/** Doubling from one second (settled question Q-A07). */
export function retryDelayMs(failedAttempt: number): number {
  return 1_000 * 2 ** (failedAttempt - 1);
}

/** Whether an accepted run whose process is gone is started again. */
export function startsAgainAfterLoss(attempts: number): boolean {
  return attempts < lostAttemptsAllowed;
}

/** Whether whoever starts a run hears why it does not begin. Of the others' it is told by the run, which has failed. */
export function hearsRefusals(starter: Starter): boolean {
  switch (starter.kind) {
    case 'member':
    case 'agent':
    case 'function':
    case 'automation':
    case 'flow':
      return true;
    case 'webhook':
    case 'schedule':
    case 'mailhook':
    case 'event':
      return false;
  }
}
