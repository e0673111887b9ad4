import { Operation, takesAwayWhen } from '../../../engine/operation/operation.js';
import { opensAccess } from '../../../kernel/condition/opens-access.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { largestDefinition } from '../data-function/data-definition.api.js';
import type { AccountFunction, FunctionEvent } from '../function/function.record.js';
import { functionFields } from '../function/shown/function-fields.api.js';
import { ChangedSiteFunction, SiteAccessRulesShape } from '../function/shown/site-function-shapes.api.js';

const { name, text, seenVersion } = functionFields;
const declared = {
  source: 'Sites API, Backend functions',
  group: 'backend-functions',
  effect: 'command',
  permission: 'site.edit',
  within: 'project',
  tools: 'granted',
  answers: { record: ChangedSiteFunction },
} as const;
const rules = { type: 'object', shape: () => SiteAccessRulesShape, optional: true } as const;
const runAs = {
  type: 'string',
  enum: ['member', 'service'],
  optional: true,
  description:
    "member: with the caller's own rights over rows. service: with Full data access, which a person approves.",
} as const;
const definition = {
  type: 'object',
  maxBytes: largestDefinition,
  description:
    'One operation on one table: { kind: get | list | count | create | update | delete, table, filter?, sort?, limit?, fields?, values?, params? }. { $param: name } stands for what callers send; params has a JSON Schema for each.',
} as const;

@Operation('site/createDataFunction', {
  ...declared,
  summary: 'Makes a function of a site that does one operation on one table, with no code.',
  risky: opensAccess,
  gated: true,
})
export class CreateDataFunction {
  @Field(idField) projectId!: string;
  @Field(name) name!: string;
  @Field(definition) definition!: JsonObject;
  @Field(text) description?: string;
  @Field({ ...runAs, default: 'member' }) runAs?: 'member' | 'service';
  @Field(rules) accessRules?: SiteAccessRulesShape;
}

@Operation('site/updateDataFunction', {
  ...declared,
  summary: 'Updates a data function. The kind of its definition stays.',
  takesAway: takesAwayWhen<AccountFunction, FunctionEvent>(({ type }) => type === 'FunctionPowersTaken'),
  risky: opensAccess,
  gated: true,
})
export class UpdateDataFunction {
  @Field(idField) projectId!: string;
  @Field(idField) functionId!: string;
  @Field(text) description?: string;
  @Field({ ...definition, optional: true }) definition?: JsonObject;
  @Field(runAs) runAs?: 'member' | 'service';
  @Field(rules) accessRules?: SiteAccessRulesShape;
  @Field({ ...seenVersion, optional: true, description: 'Required for service.' }) seenVersion?: string;
}
