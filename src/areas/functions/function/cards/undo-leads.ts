import { isDeepStrictEqual } from 'node:util';
import type { AggregateLoader } from '../../../../engine/commands/aggregate-loader.js';
import type { Policies } from '../../../../kernel/condition/condition.js';
import { reachOf } from '../../../../kernel/condition/reach.js';
import { streamOf } from '../../../../kernel/event/stream-name.js';
import { type AccessPolicies, accessPolicies, policiesOf } from '../../../access/policy/access-policy.record.js';
import { definitionOf, type FunctionDocument, siteFunctions } from '../function.record.js';
import { guardOf } from './approved.api.js';

const now = Number.MAX_SAFE_INTEGER;
const noPolicies: Policies = () => undefined;

/**
 * While a function of a site lacks the powers, secrets or rules that an Undo would give back, the policies and gates
 * behind these rules can be changed without approval. If they were changed, returns why the Undo is refused.
 */
export async function whyNotUndone(loader: AggregateLoader, fn: FunctionDocument): Promise<string | undefined> {
  if (fn.projectId === undefined || fn.undo === null) return undefined;
  const after = { ...fn, ...fn.undo.before };
  if (guardOf(after) === 'none' || isGuardedAlike(fn, after)) return undefined;
  const then = await leadsOf(loader, after, await changedAt(loader, fn));
  if (isDeepStrictEqual(then, await leadsOf(loader, after, now))) return undefined;
  return 'a policy or function that decides who may execute it has changed since, so what it gets back needs a card';
}

const isGuardedAlike = (before: FunctionDocument, after: FunctionDocument) =>
  guardOf(before) === guardOf(after) && isDeepStrictEqual(rulesOf(before), rulesOf(after));

const rulesOf = ({ accessRules, draft }: FunctionDocument) => [accessRules.execute, draft?.accessRules.execute];

/** Returns the log position of the last change, which is the one to undo, because any later one ends the Undo. */
async function changedAt(loader: AggregateLoader, { workspaceId, id }: FunctionDocument): Promise<number> {
  let position = -1;
  for await (const event of loader.history(streamOf(siteFunctions.category, workspaceId, id)))
    position = event.position;
  return position;
}

/** Returns what decided at a log position who may execute the function: conditions of policies, and gates. */
async function leadsOf(loader: AggregateLoader, fn: FunctionDocument, position: number): Promise<object> {
  const { workspaceId, projectId = '' } = fn;
  let policies = noPolicies;
  for await (const set of loader.at<AccessPolicies>(accessPolicies, workspaceId, [projectId], position)) {
    policies = policiesOf(set);
  }
  const reach = reachOf(rulesOf(fn), policies);
  const gates: object[] = [];
  for await (const gate of loader.at<FunctionDocument>(siteFunctions, workspaceId, [...reach.functions], position)) {
    const { accessRules: _, ...definition } = definitionOf(gate);
    gates.push({ id: gate.id, isActive: gate.isActive, definition });
  }
  return { conditions: [...reach.policies].map((id) => [id, policies(id)?.condition]), gates };
}
