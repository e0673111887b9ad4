import { endsWithOwners } from '../../engine/ownership/dependents.js';
import { type Slice, slice } from '../../engine/records/slice.js';
import { explainAccessHandlers } from './explain/explain-access.handler.js';
import { ruleExplanations } from './explain/explain-rule-decision.js';
import { AccessSummaries } from './judging/access-summaries.api.js';
import { ConditionChecks } from './judging/condition-checks.api.js';
import { ConditionHolders, holdsConditions } from './judging/condition-holders.api.js';
import { SiteAccess } from './judging/site-access.api.js';
import { SiteKnown } from './judging/site-known.api.js';
import { accessPolicyHandlers } from './policy/access-policy.handler.js';
import { endPolicies } from './policy/access-policy.js';
import { accessPolicyProjection } from './policy/access-policy.projection.js';
import { accessPolicies } from './policy/access-policy.record.js';
import { gatesPolicies } from './policy/gated-policies.js';
import { SitePolicies } from './policy/site-policies.api.js';
import { heldRules } from './site-rules/held-rules.js';
import { siteRulesHandlers } from './site-rules/site-rules.handler.js';
import { endSiteRules } from './site-rules/site-rules.js';
import { siteRules } from './site-rules/site-rules.record.js';

/** Who is let in where: policies, rules, and the one judge of both. */
export const accessSlices: readonly Slice[] = [
  slice(accessPolicies, [
    ...accessPolicyHandlers,
    SitePolicies,
    gatesPolicies,
    endsWithOwners(accessPolicies, endPolicies),
  ]),
  { projections: [accessPolicyProjection], providers: [] },
  slice(siteRules, [...siteRulesHandlers, endsWithOwners(siteRules, endSiteRules), holdsConditions(heldRules)]),
  ...explainAccessHandlers,
  ...ruleExplanations,
  AccessSummaries,
  ConditionHolders,
  ConditionChecks,
  SiteAccess,
  SiteKnown,
];
