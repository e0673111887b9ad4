import { refusal } from './refusal-entry.js';

/** What policies and access rules refuse. */
export const accessRefusals = {
  'access-policy-not-found': refusal(
    'not-found',
    () => 'There is no such access policy in this workspace; listAccessPolicies shows those of a site.',
  ),
  'access-policy-name-taken': refusal(
    'conflict',
    (about: { name: string }) =>
      `The site has an access policy named '${about.name}' already; choose another name, or change that one.`,
  ),
  'condition-invalid': refusal(
    'invalid',
    (about: { of: string; problem: string }) =>
      `The condition of ${about.of} cannot be saved: ${about.problem}. Nothing was changed; mend it and send the call again.`,
  ),
  'policies-full': refusal(
    'conflict',
    (about: { name: string; problem: string }) =>
      `The policy '${about.name}' cannot be saved: ${about.problem} Nothing was changed; delete or shorten a policy first.`,
  ),
  'policy-breaks': refusal(
    'conflict',
    (about: { name: string; kind: string; resource: string; operation: string; problem: string }) =>
      `With this condition of the policy '${about.name}', the ${about.operation} rule of the ${about.kind} '${about.resource}' could not be judged any more: ${about.problem}. Nothing was changed; change that rule first, or send another condition.`,
  ),
};
