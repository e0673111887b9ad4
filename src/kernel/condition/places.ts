import type { Rule } from './condition.js';

/** Kind of a rule, which determines where the rule is allowed. The types `public` and `email` have two kinds each. */
export type RuleKind = Exclude<Rule['type'], 'public' | 'email'> | 'public' | 'open level' | 'row email' | 'own email';

export function kindOf(rule: Rule): RuleKind {
  switch (rule.type) {
    case 'public':
      return rule.scope === 'everywhere' ? 'open level' : 'public';
    case 'email':
      return 'field' in rule ? 'row email' : 'own email';
    case 'authenticated':
    case 'has_role':
    case 'user_property':
    case 'has_entitlement':
    case 'function':
    case 'creator':
    case 'field_match':
    case 'relationship':
      return rule.type;
  }
}

export const kindNames: Readonly<Record<RuleKind, string>> = {
  public: 'a public rule',
  'open level': "a public rule with the level 'everywhere'",
  authenticated: 'an authenticated rule',
  has_role: 'a has_role rule',
  user_property: 'a user_property rule',
  has_entitlement: 'a has_entitlement rule',
  function: 'a function rule',
  creator: 'a creator rule',
  field_match: 'a field_match rule',
  relationship: 'a relationship rule',
  'row email': "an email rule on a row's field",
  'own email': "an email rule on the member's own address",
};

/**
 * `table` means a table's rows and fields. A policy may contain all kinds of rules, because conditions in different
 * places may refer to it.
 */
export type Place =
  | 'page'
  | 'function'
  | 'account-function'
  | 'email'
  | 'channel'
  | 'proxy'
  | 'audience'
  | 'env-var'
  | 'row'
  | 'table'
  | 'policy';

const whoCalls: readonly RuleKind[] = ['authenticated', 'has_role', 'user_property', 'has_entitlement'];
const anybody: readonly RuleKind[] = ['public', 'open level'];
const rows: readonly RuleKind[] = ['creator', 'field_match', 'relationship', 'row email'];
const rowless: readonly RuleKind[] = [...anybody, ...whoCalls, 'function'];
const every: readonly RuleKind[] = [...rowless, ...rows];

/** Rules about rows are allowed only where there is a row to compare with. */
const allowedIn: Readonly<Record<Place, { readonly name: string; readonly kinds: ReadonlySet<RuleKind> }>> = {
  page: { name: 'a page', kinds: new Set([...anybody, ...whoCalls]) },
  function: { name: 'a function', kinds: new Set(rowless) },
  'account-function': { name: 'an account function', kinds: new Set(['public', ...whoCalls, 'function']) },
  email: { name: 'the email API', kinds: new Set(rowless) },
  channel: { name: 'a channel', kinds: new Set(rowless) },
  proxy: { name: 'the server proxy', kinds: new Set(rowless) },
  audience: { name: "a campaign's audience", kinds: new Set([...whoCalls, 'own email']) },
  'env-var': { name: 'an environment variable', kinds: new Set([...anybody, ...whoCalls]) },
  row: { name: 'a row', kinds: new Set(every) },
  table: { name: 'a table', kinds: new Set(every.filter((kind) => kind !== 'function')) },
  policy: { name: 'a policy', kinds: new Set([...every, 'own email']) },
};

export function wrongHere(place: Place, kind: RuleKind): string | undefined {
  const { name, kinds } = allowedIn[place];
  return kinds.has(kind) ? undefined : `is ${kindNames[kind]}, which ${name} does not accept`;
}
