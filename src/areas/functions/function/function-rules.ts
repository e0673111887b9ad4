import { isDeepStrictEqual } from 'node:util';
import { isPersons } from '../../../kernel/caller.js';
import type { Actor } from '../../../kernel/event.js';
import { refuse } from '../../../kernel/refusal.js';
import { isNarrower } from '../../../kernel/run-by.js';
import { type AccessRules, type AccountFunction, hasFullDataAccess } from './function.record.js';
import { type FunctionOutcome, proposeRules } from './function-changes.js';
import { hasHoldings } from './machine-limits.js';

/** Rules as a caller sends them; checked by then. `runBy` left out: the saved one stays. */
export interface RulesSent {
  readonly execute: AccessRules['execute'];
  readonly runBy?: AccessRules['runBy'];
}

/**
 * Changes the live rules and those of the open draft at once, whatever the versions switch says (Sites API,
 * setBackendFunctionAccessRules). With Full data access, a person has to approve it first.
 */
export function setFunctionRules(fn: AccountFunction, sent: RulesSent, by: Actor): FunctionOutcome {
  const { accessRules: live, draft } = fn;
  const accessRules: AccessRules = { execute: sent.execute, runBy: sent.runBy ?? live.runBy };
  mayChange(fn, accessRules, by);
  const isSame = (rules: AccessRules | undefined) => rules === undefined || isDeepStrictEqual(rules, accessRules);
  if (isSame(live) && isSame(draft?.accessRules)) return { events: [] };
  if (hasFullDataAccess(fn)) return proposeRules(fn, accessRules);
  return { events: [{ type: 'FunctionAccessRulesSet', data: { accessRules } }] };
}

/**
 * Nobody reviews these rules before they count. So an agent never lets more of them start a function than may, and no
 * machine says who executes one that holds powers or secrets.
 */
function mayChange(fn: AccountFunction, to: AccessRules, by: Actor): void {
  if (isPersons(by.kind)) return;
  const no = (what: string): never =>
    by.kind === 'agent' ? refuse('agent-may-not-change', { what }) : refuse('automation-may-not-change', { what });
  const { execute, runBy } = fn.accessRules;
  const drafted = fn.draft?.accessRules.runBy;
  const narrows = isNarrower(to.runBy, runBy) && (drafted === undefined || isNarrower(to.runBy, drafted));
  if (by.kind === 'agent' && !narrows) no("a function's runBy, but to narrow it");
  const isGuarded = hasFullDataAccess(fn) || hasHoldings(fn);
  if (isGuarded && !(narrows && isDeepStrictEqual(to.execute, execute))) {
    no('who may execute a function that holds secrets, powers, connected apps or service tools');
  }
}
