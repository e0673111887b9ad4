import { command, query } from '../../../engine/operation/bound-operation.js';
import { opensAccess, success } from '../../../engine/operation/operation.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';
import { AccessPolicyRecord, PolicyChanges } from './policy-changes.js';

const declared = { source: 'Sites API, Access policies', group: 'access-policies', tools: 'granted' } as const;
const changes = { ...declared, permission: 'site.edit' } as const;
const description = { type: 'string', maxLength: 2_000, optional: true } as const;
const color = { type: 'string', maxLength: 40, optional: true, description: 'E.g. #3B82F6.' } as const;
const condition = {
  type: 'any',
  description:
    'A condition as described under Access Condition in the Sites API. Access rules refer to the policy as { policy: <id> }.',
} as const;

export const accessPolicyOperations = [
  query('site/listAccessPolicies', {
    ...declared,
    summary: 'Lists the access policies of a project, oldest first. Returns at most 200.',
    permission: 'site.read',
    within: 'project',
    answers: { list: AccessPolicyRecord },
    input: { projectId: idField },
    inject: [PolicyChanges],
    handle: ({ projectId }, call, policies) => policies.list(call, projectId),
  }),
  command('site/createAccessPolicy', {
    ...changes,
    summary: 'Creates an access policy that access rules of the project can refer to.',
    within: 'project',
    body: 'large',
    answers: { record: AccessPolicyRecord },
    risky: opensAccess,
    input: {
      projectId: idField,
      name: { ...nameField, description: 'Unique in the project. Case-sensitive.' },
      condition,
      description,
      color,
    },
    inject: [PolicyChanges],
    handle: (input, call, policies) => policies.create(call, input),
  }),
  command('site/updateAccessPolicy', {
    ...changes,
    summary:
      "Updates an access policy. A new condition applies at once to every rule that refers to the policy. The update is refused if it would make one of those rules impossible to evaluate. It needs a person's approval if the policy decides who may execute a function with Full data access.",
    body: 'large',
    gated: true,
    answers: { record: AccessPolicyRecord },
    risky: opensAccess,
    input: {
      policyId: idField,
      name: { ...nameField, optional: true },
      description,
      color,
      condition: { ...condition, optional: true },
    },
    inject: [PolicyChanges],
    handle: (input, call, policies) => policies.update(call, input),
  }),
  command('site/deleteAccessPolicy', {
    ...changes,
    summary:
      'Deletes an access policy. Rules that still refer to it deny access to everyone but members with edit rights until the rules are changed.',
    takesAway: true,
    answers: success,
    input: { policyId: idField },
    inject: [PolicyChanges],
    handle: ({ policyId }, call, policies) => policies.delete(call, policyId),
  }),
];
