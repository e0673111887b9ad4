import { command, query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import { opensAccess } from '../../../kernel/condition/opens-access.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';
import { AccessPolicyRecord, PolicyChanges } from './policy-changes.js';

const declared = { source: 'Sites API, Access policies', group: 'access-policies', tools: 'granted' } as const;
const changes = { ...declared, permission: 'site.edit' } as const;
const description = { type: 'string', maxLength: 2_000, optional: true } as const;
const color = { type: 'string', maxLength: 40, optional: true, description: 'E.g. #3B82F6.' } as const;
const condition = {
  type: 'any',
  description: 'A Condition (Sites API, Access Condition). Rules refer to the policy as { policy: <id> }.',
} as const;

export const accessPolicyOperations = [
  query('site/listAccessPolicies', {
    ...declared,
    summary: 'Lists the access policies of a project, the oldest first, 200 at most.',
    permission: 'site.read',
    within: 'project',
    answers: { list: AccessPolicyRecord },
    input: { projectId: idField },
    inject: [PolicyChanges],
    handle: ({ projectId }, call, policies) => policies.list(call, projectId),
  }),
  command('site/createAccessPolicy', {
    ...changes,
    summary: 'Creates an access policy, which rules of the project can refer to.',
    within: 'project',
    body: 'large',
    answers: { record: AccessPolicyRecord },
    risky: opensAccess,
    input: {
      projectId: idField,
      name: { ...nameField, description: 'Unique in the project; case counts.' },
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
      'Updates an access policy. A new condition counts at once in every rule that refers to it; refused where one of them could not be judged any more. Where it decides who may execute a function with Full data access, it waits for a person.',
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
    summary: 'Deletes an access policy. Rules that still refer to it let nobody in until they are changed.',
    takesAway: true,
    answers: success,
    input: { policyId: idField },
    inject: [PolicyChanges],
    handle: ({ policyId }, call, policies) => policies.delete(call, policyId),
  }),
];
