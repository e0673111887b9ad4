import { isDeepStrictEqual } from 'node:util';
import { isNarrower } from '../../../../kernel/actors/run-by.js';
import { isPersons } from '../../../../kernel/callers/caller.js';
import type { Actor } from '../../../../kernel/event/event.js';
import { refuseMachine } from '../../../access/policy/led-from.api.js';
import { guardOf, isNoWider, others } from '../cards/approved.api.js';
import { type AccessRules, type AccountFunction, hasFullDataAccess } from '../function.record.js';
import { type FunctionOutcome, proposeRules } from '../function-changes.js';

/** Rules as a caller sends them; checked by then. `runBy` left out: the saved one stays. */
export interface RulesSent {
  readonly execute: AccessRules['execute'];
  readonly runBy?: AccessRules['runBy'];
}

/**
 * Changes the live rules and those of the open draft at once, whatever the versions switch says (Sites API,
 * setBackendFunctionAccessRules). With Full data access, a person has to approve it first.
 */
export function setFunctionRules(fn: AccountFunction, sent: RulesSent, by: Actor, isMaker: boolean): FunctionOutcome {
  const { accessRules: live, draft } = fn;
  const accessRules: AccessRules = { execute: sent.execute, runBy: sent.runBy ?? live.runBy };
  mayChange(fn, accessRules, by, isMaker);
  const isSame = (rules: AccessRules | undefined) => rules === undefined || isDeepStrictEqual(rules, accessRules);
  if (isSame(live) && isSame(draft?.accessRules)) return { events: [] };
  if (hasFullDataAccess(fn)) return proposeRules(fn, accessRules);
  return { events: [{ type: 'FunctionAccessRulesSet', data: { accessRules } }] };
}

/**
 * No person reviews these rules before they count. So machines let nobody more in to what they did not make, an agent
 * never lets more of them start a function, and no machine says who executes one that holds powers or secrets.
 */
function mayChange(fn: AccountFunction, to: AccessRules, by: Actor, isMaker: boolean): void {
  if (isPersons(by.kind)) return;
  const { accessRules: live, draft } = fn;
  const narrows = [live, ...(draft === null ? [] : [draft.accessRules])].every((from) =>
    isNarrower(to.runBy, from.runBy),
  );
  if (by.kind === 'agent' && !narrows) refuseMachine(by, "a function's runBy, but to narrow it");
  if (guardOf(fn) !== 'none' && !(narrows && isDeepStrictEqual(to.execute, live.execute))) {
    refuseMachine(by, 'who may execute a function that holds secrets, powers, connected apps or service tools');
  }
  if (!isMaker && !(narrows && isNoWider(to, live))) refuseMachine(by, others);
}
