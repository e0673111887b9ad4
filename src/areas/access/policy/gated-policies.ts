import { hash } from 'node:crypto';
import { ChangeTargets } from '../../../engine/approvals/change-targets.js';
import type { GatedKind } from '../../../engine/approvals/gated-kind.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { StoredConditions } from '../judging/condition-holders.api.js';
import { SiteKnown } from '../judging/site-known.api.js';
import { type PolicyCard, policyUpdated } from './access-policy.js';
import { type AccessPolicies, type AccessPoliciesEvent, accessPolicies } from './access-policy.record.js';

/**
 * A card (a pending change) stores the digest of the policy's fields, which shows later whether the policy has changed
 * since.
 */
export function policyBase({ policies }: AccessPolicies, policyId: string): string {
  const policy = policies[policyId];
  const { name, description, color, condition } = policy ?? {};
  return hash('sha256', policy === undefined ? 'gone' : JSON.stringify({ name, description, color, condition }), 'hex');
}

const cardOf = (input: JsonObject) => input as unknown as PolicyCard;

function gatedPoliciesOf(holders: StoredConditions, known: SiteKnown): GatedKind<AccessPolicies, AccessPoliciesEvent> {
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

    /** Reads the site and its conditions again, because they might have changed since the card was created. */
    async application({ workspaceId }, { input }) {
      const { projectId, policyId, changed } = cardOf(input);
      const site = await known.of(workspaceId, projectId);
      const conditions = await holders.conditionsOf(workspaceId, projectId);
      return { decide: (all) => policyUpdated(all, policyId, changed, { ...site, conditions }) };
    },
  };
}

export const gatesPolicies = {
  provide: Symbol('Gates access policies'),
  inject: [ChangeTargets, StoredConditions, SiteKnown],
  useFactory: (targets: ChangeTargets, holders: StoredConditions, known: SiteKnown) =>
    targets.register(gatedPoliciesOf(holders, known)),
};
