import type { Operator, Scalar } from './operators.js';

/** How far a public rule opens. The two labels that differ from these words are also accepted and stored as these. */
export const scopes = ['everywhere', 'site', 'internet'] as const;
export type Scope = (typeof scopes)[number];

/** `value` is left out for isEmpty and isNotEmpty, and a list for in and nin. */
export interface Comparison {
  readonly operator: Operator;
  readonly value?: Scalar | readonly Scalar[];
}

/** One test of the caller, or of the caller against the requested row. */
export type Rule =
  | { readonly type: 'public'; readonly scope: Scope }
  | { readonly type: 'authenticated' }
  | { readonly type: 'has_role'; readonly roleId: string }
  | ({ readonly type: 'user_property'; readonly property: string } & Comparison)
  | { readonly type: 'has_entitlement'; readonly key: string }
  | { readonly type: 'function'; readonly functionId: string }
  | { readonly type: 'creator' }
  | { readonly type: 'field_match'; readonly field: string; readonly property: string }
  | { readonly type: 'relationship'; readonly path: string }
  | { readonly type: 'email'; readonly field: string }
  /** Only in audiences, which have no row: the member's own address. */
  | ({ readonly type: 'email' } & Comparison);

export type RuleType = Rule['type'];

export interface PolicyReference {
  readonly policy: string;
}

/**
 * Who has access (Sites API, Access Condition). A list is an OR of rules and policy references. An empty list, which
 * only a resource may have, admits the owner alone. Conditions from `checkCondition` are frozen JSON.
 */
export type Condition =
  | Rule
  | PolicyReference
  | readonly (Rule | PolicyReference)[]
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition };

/** A stored policy. Its condition may predate today's rules, so it is not assumed to be valid. */
export interface Policy {
  readonly name: string;
  readonly condition: unknown;
}

/** Finds a site's policy by id, synchronously and consistently within one call; undefined if it no longer exists. */
export type Policies = (id: string) => Policy | undefined;

/** What is wrong with a condition, and where: `any[2].roleId`; the empty path is the whole condition. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}
