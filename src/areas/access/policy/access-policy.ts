import { checkCondition, type Known, wrongPolicySet } from '../../../kernel/condition/check-condition.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import { readStored } from '../../../kernel/condition/read-condition.js';
import { differing } from '../../../kernel/differing.js';
import { refuse } from '../../../kernel/refusal.js';
import { firstBroken, type Kept } from '../judging/broken-conditions.api.js';
import { refuseCondition } from '../judging/refuse-condition.api.js';
import {
  type AccessPolicies,
  type AccessPoliciesEvent,
  accessPolicies,
  type PolicyFacts,
} from './access-policy.record.js';
import { policiesOf } from './site-policies.api.js';

export interface PolicyInput {
  readonly name?: string;
  readonly description?: string | null;
  readonly color?: string | null;
  readonly condition?: unknown;
}

type All = AccessPolicies['policies'];

/** The roles and functions of the site. */
type Site = Omit<Known, 'policies'>;

export function createPolicy(
  all: AccessPolicies | undefined,
  { projectId, policyId }: { readonly projectId: string; readonly policyId: string },
  { name, description = null, color = null, condition }: PolicyInput & { readonly name: string },
  site: Site,
): readonly AccessPoliciesEvent[] {
  const others = all?.policies ?? {};
  mustBeFree(others, policyId, name);
  const facts: PolicyFacts = {
    name,
    description,
    color,
    condition: checked(others, policyId, { name, condition }, site),
  };
  mustHaveRoom(others, policyId, facts);
  return [
    ...(all === undefined ? [{ type: 'AccessPoliciesBegun', data: { projectId } } as const] : []),
    { type: 'AccessPolicyCreated', data: { policyId, ...facts } },
  ];
}

/**
 * Records what differs. `held`: the conditions that resources of the site are kept with, none of which may stop to be
 * judgeable (settled question Q-S58).
 */
export function updatePolicy(
  all: AccessPolicies | undefined,
  policyId: string,
  { name, description, color, condition }: PolicyInput,
  { held, ...site }: Site & { readonly held: readonly Kept[] },
): readonly AccessPoliciesEvent[] {
  const { policies } = all ?? accessPolicies.missing();
  const before = policies[policyId] ?? accessPolicies.missing();
  if (name !== undefined) mustBeFree(policies, policyId, name);
  const sent = {
    name,
    description,
    color,
    condition:
      condition === undefined ? undefined : checked(policies, policyId, { name: name ?? before.name, condition }, site),
  };
  const changed = differing<PolicyFacts>(factsOf(before), sent);
  if (changed === undefined) return [];
  if (changed.condition !== undefined) {
    const after = { ...before, ...changed };
    mustHaveRoom(policies, policyId, after);
    mustBreakNothing(policies, policyId, after, held);
  }
  return [{ type: 'AccessPolicyUpdated', data: { policyId, ...changed } }];
}

/** What still names it lets nobody in (Sites API, deleteAccessPolicy). */
export function deletePolicy(all: AccessPolicies | undefined, policyId: string): readonly AccessPoliciesEvent[] {
  if (all === undefined || !Object.hasOwn(all.policies, policyId)) return accessPolicies.missing();
  return [{ type: 'AccessPolicyDeleted', data: { policyId } }];
}

export function endPolicies({ projectId }: AccessPolicies): readonly AccessPoliciesEvent[] {
  return [{ type: 'AccessPoliciesEnded', data: { projectId } }];
}

/** Length of the stored JSON. */
export function charactersOf(condition: unknown): number {
  const reading = readStored(condition);
  return reading.ok ? reading.characters : JSON.stringify(condition).length;
}

const factsOf = ({ name, description, color, condition }: PolicyFacts): PolicyFacts => ({
  name,
  description,
  color,
  condition,
});

/** @throws Refusal access-policy-name-taken */
function mustBeFree(policies: All, policyId: string, name: string): void {
  const isTaken = Object.entries(policies).some(([id, other]) => id !== policyId && other.name === name);
  if (isTaken) refuse('access-policy-name-taken', { name });
}

/** @throws Refusal condition-invalid, which names the policy */
function checked(policies: All, policyId: string, sent: { name: string; condition: unknown }, site: Site): Condition {
  const { name, condition } = sent;
  const known = { ...site, policies: policiesOf({ policies }) };
  const result = checkCondition(condition, { ...known, place: 'policy', policyId });
  return result.ok ? result.condition : refuseCondition(`the policy '${name}'`, result.problems);
}

/** A site that is over a limit may still be made smaller. @throws Refusal policies-full */
function mustHaveRoom(policies: All, policyId: string, { name, condition }: PolicyFacts): void {
  const sizes = new Map(Object.entries(policies).map(([id, one]) => [id, charactersOf(one.condition)]));
  const before = sizes.get(policyId) ?? 0;
  const after = charactersOf(condition);
  if (sizes.has(policyId) && after <= before) return;
  const problem = wrongPolicySet([...sizes.set(policyId, after).values()]);
  if (problem !== undefined) refuse('policies-full', { name, problem });
}

/** @throws Refusal policy-breaks */
function mustBreakNothing(policies: All, policyId: string, after: All[string], held: readonly Kept[]): void {
  const others = Object.entries(policies)
    .filter(([id]) => id !== policyId)
    .map(([id, { name, condition }]) => ({
      place: 'policy' as const,
      kind: 'access policy',
      id,
      name,
      operation: 'own',
      condition,
    }));
  const now = policiesOf({ policies: { ...policies, [policyId]: after } });
  const broken = firstBroken<Kept>([...others, ...held], policiesOf({ policies }), now);
  if (broken === undefined) return;
  const { kind, id, name: resource, operation } = broken.one;
  refuse(
    'policy-breaks',
    { name: after.name, kind, resource, operation, problem: broken.problem },
    { resource: { kind, id, name: resource, operation } },
  );
}
