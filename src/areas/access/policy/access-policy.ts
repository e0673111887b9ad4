import type { Outcome } from '../../../engine/approvals/gated-kind.js';
import { checkCondition, type Known, wrongPolicySet } from '../../../kernel/condition/check-condition.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import { readStored } from '../../../kernel/condition/read-condition.js';
import type { Actor } from '../../../kernel/event/event.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { differing } from '../../../kernel/record/differing.js';
import { refuse } from '../access.refusals.js';
import { firstBroken, type PlacedCondition } from '../judging/broken-conditions.api.js';
import { refuseCondition } from '../judging/refuse-condition.api.js';
import {
  type AccessPolicies,
  type AccessPoliciesEvent,
  accessPolicies,
  type PolicyFacts,
  policiesOf,
} from './access-policy.record.js';
import { type GuardedFunction, ledFrom, ledFromWords, mustBePersons } from './led-from.api.js';

export interface PolicyInput {
  readonly name?: string;
  readonly description?: string | null;
  readonly color?: string | null;
  readonly condition?: unknown;
}

type All = AccessPolicies['policies'];

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

type SiteWithConditions = Site & { readonly conditions: readonly PlacedCondition[] };

interface Asking {
  readonly by: Actor;
  readonly guarded: readonly GuardedFunction[];
}

/** Stored in a card (a pending change), and applied when a person approves the card. */
export interface PolicyCard {
  readonly projectId: string;
  readonly policyId: string;
  readonly changed: Partial<PolicyFacts>;
}

/**
 * Restricts changes of the condition if the policy decides who may execute a function with secrets, powers, connected
 * apps, service tools or Full data access. Agents and automations are refused. If the function has Full data access, a
 * person's change waits for a person's approval.
 */
export function updatePolicy(
  all: AccessPolicies | undefined,
  policyId: string,
  sent: PolicyInput,
  { by, guarded, ...site }: SiteWithConditions & Asking,
): Outcome<AccessPoliciesEvent> {
  const events = policyUpdated(all, policyId, sent, site);
  const [event] = events;
  if (event?.type !== 'AccessPolicyUpdated' || event.data.condition === undefined) return { events };
  const { projectId, policies } = all ?? accessPolicies.missing();
  const led = ledFrom({ kind: 'policy', id: policyId }, guarded, policiesOf({ policies }));
  const before = policies[policyId] ?? accessPolicies.missing();
  mustBePersons(by, `the access policy '${before.name}'`, led);
  if (led.guard !== 'card') return { events };
  const { policyId: _, ...changed } = event.data;
  const input: PolicyCard = { projectId, policyId, changed };
  return {
    events: [],
    proposal: {
      kind: 'access-policy',
      summary: `Change the access policy '${before.name}', ${ledFromWords(led)}.`,
      changes: Object.entries(changed).map(([path, to]) => ({
        path,
        from: (before as unknown as JsonObject)[path] ?? null,
        to: to as Json,
      })),
      approver: 'editor',
      input: input as unknown as JsonObject,
    },
  };
}

/**
 * @throws Refusal access-policy-name-taken, condition-invalid, policies-full; policy-breaks, if the change would make
 * it impossible to judge a stored condition (Q-S58)
 */
export function policyUpdated(
  all: AccessPolicies | undefined,
  policyId: string,
  { name, description, color, condition }: PolicyInput,
  { conditions, ...site }: SiteWithConditions,
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
    mustBreakNothing(policies, policyId, after, conditions);
  }
  return [{ type: 'AccessPolicyUpdated', data: { policyId, ...changed } }];
}

/** Conditions that still name the policy then deny everyone (Sites API, deleteAccessPolicy). */
export function deletePolicy(all: AccessPolicies | undefined, policyId: string): readonly AccessPoliciesEvent[] {
  if (all === undefined || !Object.hasOwn(all.policies, policyId)) return accessPolicies.missing();
  return [{ type: 'AccessPolicyDeleted', data: { policyId } }];
}

export function endPolicies({ projectId }: AccessPolicies): readonly AccessPoliciesEvent[] {
  return [{ type: 'AccessPoliciesEnded', data: { projectId } }];
}

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

function mustBeFree(policies: All, policyId: string, name: string): void {
  const isTaken = Object.entries(policies).some(([id, other]) => id !== policyId && other.name === name);
  if (isTaken) refuse('access-policy-name-taken', { name });
}

function checked(policies: All, policyId: string, sent: { name: string; condition: unknown }, site: Site): Condition {
  const { name, condition } = sent;
  const known = { ...site, policies: policiesOf({ policies }) };
  const result = checkCondition(condition, { ...known, place: 'policy', policyId });
  return result.ok ? result.condition : refuseCondition(`the policy '${name}'`, result.problems);
}

/**
 * A site that exceeds the limits already may still replace a condition by one that is not longer.
 * @throws Refusal policies-full
 */
function mustHaveRoom(policies: All, policyId: string, { name, condition }: PolicyFacts): void {
  const sizes = new Map(Object.entries(policies).map(([id, one]) => [id, charactersOf(one.condition)]));
  const before = sizes.get(policyId) ?? 0;
  const after = charactersOf(condition);
  if (sizes.has(policyId) && after <= before) return;
  const problem = wrongPolicySet([...sizes.set(policyId, after).values()]);
  if (problem !== undefined) refuse('policies-full', { name, problem });
}

function mustBreakNothing(
  policies: All,
  policyId: string,
  after: All[string],
  conditions: readonly PlacedCondition[],
): void {
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
  const broken = firstBroken<PlacedCondition>([...others, ...conditions], policiesOf({ policies }), now);
  if (broken === undefined) return;
  const { kind, id, name: resource, operation } = broken.one;
  refuse(
    'policy-breaks',
    { name: after.name, kind, resource, operation, problem: broken.problem },
    { resource: { kind, id, name: resource, operation } },
  );
}
