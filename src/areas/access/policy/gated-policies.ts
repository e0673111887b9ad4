import { hash } from 'node:crypto';
import { ChangeTargets } from '../../../engine/approvals/change-targets.js';
import type { GatedKind } from '../../../engine/approvals/gated-kind.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { ConditionHolders } from '../judging/condition-holders.api.js';
import { SiteKnown } from '../judging/site-known.api.js';
import { type PolicyCard, policyUpdated } from './access-policy.js';
import { type AccessPolicies, type AccessPoliciesEvent, accessPolicies } from './access-policy.record.js';

/**
 * Returns a digest of the policy's fields. A card (a pending change of the policy) contains the digest as it was when
 * the card was created. If the digest is different now, the policy has changed since.
 */
export function policyBase({ policies }: AccessPolicies, policyId: string): string {
  const policy = policies[policyId];
  const { name, description, color, condition } = policy ?? {};
  return hash('sha256', policy === undefined ? 'gone' : JSON.stringify({ name, description, color, condition }), 'hex');
}

const cardOf = (input: JsonObject) => input as unknown as PolicyCard;

/**
 * Defines how a change of a policy waits for approval as a card. That happens if the policy decides who may execute a
 * function with Full data access.
 */
function gatedPoliciesOf(holders: ConditionHolders, known: SiteKnown): GatedKind<AccessPolicies, AccessPoliciesEvent> {
  return {
    aggregate: accessPolicies,
    collection: 'accessPolicySets',
    noun: 'access policy',
    recordId: (input) => cardOf(input).projectId,
    shown: ({ policies }) => policies,
    named: ({ policies }, input) => policies[cardOf(input).policyId] ?? {},
    baseOf: (all, _, input) => policyBase(all, cardOf(input).policyId),
    askingOf(_, { input }) {
      const { policyId, changed } = cardOf(input);
      return { operation: 'site/updateAccessPolicy', input: { policyId, ...changed } };
    },

    /**
     * Checks the change again, because the conditions that refer to the policy, and the records that the policy refers
     * to, may have changed since.
     */
    async application({ workspaceId }, { input }) {
      const { projectId, policyId, changed } = cardOf(input);
      const site = await known.of(workspaceId, projectId);
      const held = await holders.of(workspaceId, projectId);
      return { decide: (all) => policyUpdated(all, policyId, changed, { ...site, held }) };
    },
  };
}

/** Provider that registers access policies as a kind of record whose changes can wait for approval. */
export const gatesPolicies = {
  provide: Symbol('Gates access policies'),
  inject: [ChangeTargets, ConditionHolders, SiteKnown],
  useFactory: (targets: ChangeTargets, holders: ConditionHolders, known: SiteKnown) =>
    targets.register(gatedPoliciesOf(holders, known)),
};
