import type { Condition, Policies } from '../../../kernel/condition/condition.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { record } from '../../../kernel/record/record.js';
import { refuse } from '../access.refusals.js';

export interface PolicyFacts {
  /** Case-sensitive, unique in the site. */
  readonly name: string;
  readonly description: string | null;
  readonly color: string | null;
  readonly condition: Condition;
}

interface OnePolicy {
  readonly policyId: string;
}

export type AccessPoliciesEvent =
  | DomainEvent<'AccessPoliciesBegun', { readonly projectId: string }>
  | DomainEvent<'AccessPolicyCreated', OnePolicy & PolicyFacts>
  | DomainEvent<'AccessPolicyUpdated', OnePolicy & Partial<PolicyFacts>>
  | DomainEvent<'AccessPolicyDeleted', OnePolicy>
  | DomainEvent<'AccessPoliciesEnded', { readonly projectId: string }>;

export interface StoredPolicy extends PolicyFacts {
  readonly createdAt: string;
  readonly updatedAt: string;
}

/**
 * One record for all policies of a project, so that concurrent changes conflict and unique names, limits and references
 * between policies are enforced exactly.
 */
export interface AccessPolicies extends Document {
  readonly projectId: string;
  /** In order of creation. */
  readonly policies: Readonly<Record<string, StoredPolicy>>;
  /** Number of changes, from which a cache finds out whether its copy is current. */
  readonly changes: number;
}

export const accessPolicies = record<AccessPolicies, AccessPoliciesEvent>()({
  category: 'accessPolicies',
  inner: ['changes'],
  auditedFor: 'site.read',
  shownBy: 'site/listAccessPolicies',
  of: { project: 'projectId' },
  doors: ({ policies }) => Object.keys(policies).map((id) => (all) => all.policies[id]?.condition),
  undoing: 'Change the policy back with site/updateAccessPolicy; getStateAt returns its earlier state.',
  missing: () => refuse('access-policy-not-found'),
  collection: { name: 'accessPolicySets', version: 1, indexes: [{ fields: ['workspaceId', 'projectId'] }] },
  begins: {
    AccessPoliciesBegun: ({ data: { projectId } }, ids) => ({ ...ids, projectId, policies: {}, changes: 0 }),
  },
  continues: {
    AccessPolicyCreated: (all, { data: { policyId, ...facts }, metadata: { at } }) => ({
      ...all,
      policies: { ...all.policies, [policyId]: { ...facts, createdAt: at, updatedAt: at } },
      changes: all.changes + 1,
    }),
    AccessPolicyUpdated: (all, { data: { policyId, ...changed }, metadata: { at } }) => {
      const before = all.policies[policyId];
      if (before === undefined) return all;
      const after = { ...before, ...changed, updatedAt: at };
      return { ...all, policies: { ...all.policies, [policyId]: after }, changes: all.changes + 1 };
    },
    AccessPolicyDeleted: (all, { data: { policyId } }) => {
      const { [policyId]: _, ...policies } = all.policies;
      return { ...all, policies, changes: all.changes + 1 };
    },
    AccessPoliciesEnded: () => undefined,
  },
});

export interface PolicyEntry extends Document {
  readonly projectId: string;
}

export function policiesOf({ policies }: Pick<AccessPolicies, 'policies'>): Policies {
  return (id) => (Object.hasOwn(policies, id) ? policies[id] : undefined);
}
