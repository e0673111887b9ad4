import { endsWithOwners } from '../../engine/ownership/dependents.js';
import { type Slice, slice } from '../../engine/records/slice.js';
import { AccessJudge } from './judging/access-judge.api.js';
import { AccessSummaries } from './judging/access-summaries.api.js';
import { ConditionChecks } from './judging/condition-checks.api.js';
import { listsConditions, StoredConditions } from './judging/condition-holders.api.js';
import { SiteAccess } from './judging/site-access.api.js';
import { SiteKnown } from './judging/site-known.api.js';
import { endPolicies } from './policy/access-policy.js';
import { accessPolicyOperations } from './policy/access-policy.operations.js';
import { accessPolicyProjection } from './policy/access-policy.projection.js';
import { accessPolicies } from './policy/access-policy.record.js';
import { gatesPolicies } from './policy/gated-policies.js';
import { PolicyChanges } from './policy/policy-changes.js';
import { SitePolicies } from './policy/site-policies.api.js';
import { siteConditions } from './site-rules/site-conditions.js';
import { SavedSiteRules } from './site-rules/site-rules.api.js';
import { endSiteRules } from './site-rules/site-rules.js';
import { siteRulesOperations } from './site-rules/site-rules.operations.js';
import { siteRules } from './site-rules/site-rules.record.js';
import { SiteRulesChanges } from './site-rules/site-rules-changes.js';

export const accessSlices: readonly Slice[] = [
  slice(accessPolicies, [
    ...accessPolicyOperations,
    PolicyChanges,
    SitePolicies,
    gatesPolicies,
    endsWithOwners(accessPolicies, endPolicies),
  ]),
  { projections: [accessPolicyProjection], providers: [] },
  slice(siteRules, [
    ...siteRulesOperations,
    SavedSiteRules,
    SiteRulesChanges,
    endsWithOwners(siteRules, endSiteRules),
    listsConditions(siteConditions),
  ]),
  AccessJudge,
  AccessSummaries,
  StoredConditions,
  ConditionChecks,
  SiteAccess,
  SiteKnown,
];
