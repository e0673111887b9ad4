import { isDeepStrictEqual } from 'node:util';
import { isNarrower } from '../../../../kernel/actors/run-by.js';
import { isPersons } from '../../../../kernel/callers/caller.js';
import type { Actor } from '../../../../kernel/event/event.js';
import { refuseMachine } from '../../../access/policy/led-from.api.js';
import { guardOf, isNoWider, others } from '../cards/approved.api.js';
import { type AccessRules, type FunctionDocument, hasFullDataAccess } from '../function.record.js';
import { type FunctionOutcome, proposeRules } from '../function-changes.js';

export interface RulesSent {
  readonly execute: AccessRules['execute'];
  readonly runBy?: AccessRules['runBy'];
}

/**
 * Changes the live version and the open draft at once, even if the setting `versions` is on (Sites API,
 * setBackendFunctionAccessRules). With Full data access, the change needs approval.
 */
export function setFunctionRules(fn: FunctionDocument, sent: RulesSent, by: Actor, isMaker: boolean): FunctionOutcome {
  const { accessRules: live, draft } = fn;
  const accessRules: AccessRules = { execute: sent.execute, runBy: sent.runBy ?? live.runBy };
  mayChange(fn, accessRules, by, isMaker);
  const isSame = (rules: AccessRules | undefined) => rules === undefined || isDeepStrictEqual(rules, accessRules);
  if (isSame(live) && isSame(draft?.accessRules)) return { events: [] };
  if (hasFullDataAccess(fn)) return proposeRules(fn, accessRules);
  return { events: [{ type: 'FunctionAccessRulesSet', data: { accessRules } }] };
}

/**
 * No person reviews these rules before they apply. So machines may only narrow the rules of functions made by others,
 * and agents must not let more agents start a function. No machine may decide who executes a function with powers or
 * secrets.
 */
function mayChange(fn: FunctionDocument, to: AccessRules, by: Actor, isMaker: boolean): void {
  if (isPersons(by.kind)) return;
  const { accessRules: live, draft } = fn;
  const narrows = [live, ...(draft === null ? [] : [draft.accessRules])].every((from) =>
    isNarrower(to.runBy, from.runBy),
  );
  if (by.kind === 'agent' && !narrows) refuseMachine(by, "a function's runBy, except to narrow it");
  if (guardOf(fn) !== 'none' && !(narrows && isDeepStrictEqual(to.execute, live.execute))) {
    refuseMachine(by, 'who may execute a function that holds secrets, powers, connected apps or service tools');
  }
  if (!isMaker && !(narrows && isNoWider(to, live))) refuseMachine(by, others);
}
