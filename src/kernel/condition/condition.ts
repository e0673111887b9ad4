import type { ConditionScalar, Operator } from './operators.js';

/** Clients may also send the scopes' display labels, which are stored as these values. */
export const scopes = ['everywhere', 'site', 'internet'] as const;
export type PublicScope = (typeof scopes)[number];

/** `value` is omitted for isEmpty and isNotEmpty, and is a list for in and nin. */
export interface Comparison {
  readonly operator: Operator;
  readonly value?: ConditionScalar | readonly ConditionScalar[];
}

export type Rule =
  | { readonly type: 'public'; readonly scope: PublicScope }
  | { readonly type: 'authenticated' }
  | { readonly type: 'has_role'; readonly roleId: string }
  | ({ readonly type: 'user_property'; readonly property: string } & Comparison)
  | { readonly type: 'has_entitlement'; readonly key: string }
  | { readonly type: 'function'; readonly functionId: string }
  | { readonly type: 'creator' }
  | { readonly type: 'field_match'; readonly field: string; readonly property: string }
  | { readonly type: 'relationship'; readonly path: string }
  | { readonly type: 'email'; readonly field: string }
  | ({ readonly type: 'email' } & Comparison);

export type RuleType = Rule['type'];

export interface PolicyReference {
  readonly policy: string;
}

/**
 * In a list, one matching rule or policy is enough (Sites API, Access Condition). An empty list gives access to the
 * owner alone, and is not allowed in policies. Conditions that `checkCondition` returns are frozen JSON.
 */
export type Condition =
  | Rule
  | PolicyReference
  | readonly (Rule | PolicyReference)[]
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition };

/**
 * An earlier version of the service may have saved the condition under other requirements, so it is not assumed to be
 * valid.
 */
export interface Policy {
  readonly name: string;
  readonly condition: unknown;
}

/** Must not change its results during a call that uses it. Returns undefined if the policy no longer exists. */
export type Policies = (id: string) => Policy | undefined;

/** The path has the form `any[2].roleId`. The empty path is the whole condition. */
export interface ConditionProblem {
  readonly path: string;
  readonly message: string;
}
