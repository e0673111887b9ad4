import { isPersons } from '../../../../kernel/callers/caller.js';
import { ledFromNone, mustBePersons, refuseMachine } from '../../../access/policy/led-from.api.js';
import { refuse } from '../../functions.refusals.js';
import { hasHoldings, isNoWider, others } from '../cards/approved.api.js';
import { bringsCode, codeWaits } from '../cards/code-notice.api.js';
import { grantsWithin, wholeGrants } from '../function.js';
import { type FunctionDocument, hasFullDataAccess } from '../function.record.js';
import { ownerRulesOf } from '../function-owner.api.js';
import { changesGate, type FunctionChange, type FunctionUpdateInput, type Saving } from '../save-input.js';
import type { Changer } from './changer.js';

interface Saved {
  readonly fn: FunctionDocument;
  readonly left: FunctionDocument;
}

const holdings = 'a function that holds secrets, powers, connected apps or service tools';

/**
 * Refuses changes that only a person may make. Callers that are not people (machines), such as an agent or automation,
 * must not:
 * - change the connections of a site's function;
 * - rename an active function, because code and flows call active functions by name;
 * - change the code, grants or access rules of a function with powers, secrets, connections or service tools, if the
 * save would be live without review or approval (versions switched off);
 * - widen the access rules of functions made by others, if the save would be live without review or approval;
 * - activate a function called by the access rules of a function with powers, secrets, connections, service tools or
 * Full data access;
 * - change such a called function beyond its details and access rules, if versions are switched off.
 * In addition, a running function must not activate a function with sites, bases, connections or service tools that its
 * own grants do not contain, unless that waits for a card. If the function has such sites, bases or connections, the
 * running function must not change its definition either, if the save would be live without review or approval.
 * @param left the function without the powers that the save takes away
 */
export function checkMachine(
  { fn, left }: Saved,
  input: FunctionUpdateInput,
  change: FunctionChange,
  saving: Saving,
): void {
  const { by, versions } = saving;
  if (isPersons(by.kind)) return;
  if (by.kind === 'agent') checkAgent(fn, input, change, saving);
  const no = (what: string) => refuseMachine(by, what);
  if (input.grants !== undefined && !ownerRulesOf(fn).automationsGrant) no("a site function's connected apps");
  if (change.details?.name !== undefined && fn.isActive) no('the name of a function that is active');
  const { code, grants, accessRules } = change.definition ?? {};
  const touches = code !== undefined || grants !== undefined || accessRules !== undefined;
  const isLive = !versions && !hasFullDataAccess(left);
  if (touches && isLive && hasHoldings(left)) {
    no(`the code, grants or access rules of ${holdings} while versions are switched off`);
  }
  if (accessRules !== undefined && isLive && !saving.isMaker && !isNoWider(accessRules, fn.accessRules)) no(others);
  if (by.kind === 'function' && !waitsForCard({ fn, left }, change, saving)) checkOwnGrants(fn, change, saving);
  if (changesGate(change) && (!versions || change.isActive)) {
    mustBePersons(by, `the function '${fn.name}'`, saving.led ?? ledFromNone);
  }
}

function checkOwnGrants(fn: FunctionDocument, { isActive, definition }: FunctionChange, saving: Saving): void {
  const { by, own = wholeGrants({}), versions } = saving;
  if ((isActive || (definition && !versions)) && !grantsWithin(fn.grants, own)) {
    refuseMachine(by, 'a function that uses sites, bases or connections that are not in its own grants');
  }
  if (isActive && fn.grants.serviceTools.some((tool) => !own.serviceTools.includes(tool))) {
    refuseMachine(by, 'whether a function is active whose service tools are not in its own grants');
  }
}

/**
 * Whether a person approves the change before it takes effect, or the part of it that is in no draft. Some changes that
 * only take something away do not wait.
 */
function waitsForCard({ fn, left }: Saved, change: FunctionChange, saving: Saving): boolean {
  if (saving.versions) return hasFullDataAccess(fn) && ownerRulesOf(fn).waitsBesideDraft;
  return hasFullDataAccess(left) || (bringsCode(change) && codeWaits(left, saving));
}

/**
 * Refuses every change by an agent, also a deletion, of a function that acts as the workspace or uses what the agent
 * may not use (Automations API, Rules 6). Does nothing for other callers.
 * @throws Refusal agent-may-not-change
 */
export function checkAgentReaches(fn: FunctionDocument, { by, own }: Changer): void {
  if (by.kind !== 'agent') return;
  const no = (what: string) => refuseMachine(by, what);
  if (hasFullDataAccess(fn)) no('a function that acts as the workspace');
  if (!grantsWithin(fn.grants, own)) no('a function that uses sites, tables or connections that the agent may not use');
}

/** Source: Automations API, Rules 6. */
function checkAgent(
  fn: FunctionDocument,
  input: FunctionUpdateInput,
  { details, definition, isActive }: FunctionChange,
  saving: Saving,
): void {
  const no = (what: string) => refuse('agent-may-not-change', { what });
  if (input.grants !== undefined) no("a function's grants");
  if (input.toolSpec !== undefined && input.toolSpec?.['kind'] !== fn.toolSpec?.['kind']) {
    no("a function's declared kind (toolSpec.kind)");
  }
  checkAgentReaches(fn, saving);
  if (definition?.accessRules !== undefined && !saving.versions) {
    no("a function's access rules while versions are switched off");
  }
  if (!hasHoldings(fn)) return;
  if (definition?.code !== undefined) no(`the code of ${holdings}`);
  if (isActive) no(`whether ${holdings} is active, except to switch it off`);
  if (details?.exposed) no(`whether ${holdings} is exposed, except to hide it`);
}
