import { type Slice, slice } from '../../engine/slice.js';
import { projectContent } from '../sites/project/project-contents.api.js';
import { ConditionHolders } from './judging/condition-holders.api.js';
import { SiteAccess } from './judging/site-access.api.js';
import { accessPolicyHandlers } from './policy/access-policy.handler.js';
import { endPolicies } from './policy/access-policy.js';
import { accessPolicyProjection } from './policy/access-policy.projection.js';
import { accessPolicies } from './policy/access-policy.record.js';
import { SitePolicies } from './policy/site-policies.api.js';

/** Who is let in where: policies, rules, and the one judge of both. */
export const accessSlices: readonly Slice[] = [
  slice(accessPolicies, [...accessPolicyHandlers, SitePolicies, projectContent(accessPolicies, endPolicies)]),
  { projections: [accessPolicyProjection], providers: [] },
  ConditionHolders,
  SiteAccess,
];
