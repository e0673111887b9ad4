import { Operation, success } from '../../../engine/operation/operation.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import { opensAccess } from '../../../kernel/condition/opens-access.js';
import { Field } from '../../../kernel/field/field.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';

const source = 'Sites API, Access policies';
const group = 'access-policies';
const changes = { source, group, tools: 'granted', effect: 'command', permission: 'site.edit' } as const;
const description = { type: 'string', maxLength: 2_000, optional: true } as const;
const color = { type: 'string', maxLength: 40, optional: true, description: 'E.g. #3B82F6.' } as const;
const condition = {
  type: 'any',
  description: 'A Condition (Sites API, Access Condition). Rules refer to the policy as { policy: <id> }.',
} as const;

export class AccessPolicyRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', nullable: true }) description!: string | null;
  @Field({ type: 'string', nullable: true }) color!: string | null;
  @Field({ type: 'any', nullable: true, description: 'null: it is over the limits, see note.' })
  condition!: Condition | null;
  @Field({ type: 'integer', optional: true, description: 'Of one that is over the limits: its characters.' })
  size?: number;
  @Field({ type: 'string', optional: true, description: 'Of one that is over the limits.' }) note?: string;
}

@Operation('site/listAccessPolicies', {
  summary: 'Lists the access policies of a project, the oldest first, 200 at most.',
  source,
  group,
  tools: 'granted',
  effect: 'query',
  permission: 'site.read',
  within: 'project',
  answers: { list: AccessPolicyRecord },
})
export class ListAccessPolicies {
  @Field(idField) projectId!: string;
}

@Operation('site/createAccessPolicy', {
  ...changes,
  summary: 'Creates an access policy, which rules of the project can refer to.',
  within: 'project',
  body: 'large',
  answers: { record: AccessPolicyRecord },
  risky: opensAccess,
})
export class CreateAccessPolicy {
  @Field(idField) projectId!: string;
  @Field({ ...nameField, description: 'Unique in the project; case counts.' }) name!: string;
  @Field(condition) condition!: unknown;
  @Field(description) description?: string;
  @Field(color) color?: string;
}

@Operation('site/updateAccessPolicy', {
  ...changes,
  summary:
    'Updates an access policy. A new condition counts at once in every rule that refers to it; refused where one of them could not be judged any more. Where it decides who may execute a function with Full data access, it waits for a person.',
  body: 'large',
  gated: true,
  answers: { record: AccessPolicyRecord },
  risky: opensAccess,
})
export class UpdateAccessPolicy {
  @Field(idField) policyId!: string;
  @Field({ ...nameField, optional: true }) name?: string;
  @Field(description) description?: string;
  @Field(color) color?: string;
  @Field({ ...condition, optional: true }) condition?: unknown;
}

@Operation('site/deleteAccessPolicy', {
  ...changes,
  summary: 'Deletes an access policy. Rules that still refer to it let nobody in until they are changed.',
  takesAway: true,
  answers: success,
})
export class DeleteAccessPolicy {
  @Field(idField) policyId!: string;
}
