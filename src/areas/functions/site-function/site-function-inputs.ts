import { Field, typed, type ValuesOf } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { AccessRules } from '../function/function.record.js';
import type { NamedFunction } from '../function/function-commands.api.js';
import { functionFields } from '../function/shown/function-fields.api.js';
import { ConnectionGrant, executeField, ToolSpecShape } from '../function/shown/function-shapes.api.js';
import { SiteAccessRulesShape, SiteRunByShape } from '../function/shown/site-function-shapes.api.js';

const { name, text, code, maxRetries, timeout } = functionFields;
const functionTool = typed<ToolSpecShape & JsonObject>()({
  type: 'object',
  shape: () => ToolSpecShape,
  optional: true,
});
const rules = { type: 'object', shape: () => SiteAccessRulesShape, optional: true } as const;

export const oneFunction = { projectId: idField, functionId: idField } as const;
export const namedFunction = ({ projectId, functionId }: ValuesOf<typeof oneFunction>): NamedFunction => ({
  projectId,
  id: functionId,
});

export const newFunction = {
  projectId: idField,
  name,
  description: text,
  code,
  accessRules: rules,
  timeout: { ...timeout, default: 30_000 },
  maxRetries: { ...maxRetries, default: 0 },
  toolSpec: functionTool,
  exposed: {
    type: 'boolean',
    optional: true,
    default: false,
    description: 'Whether other sites and automations may call the function as a method.',
  },
} as const;
export type NewSiteFunction = ValuesOf<typeof newFunction>;

export const changedFunction = {
  ...oneFunction,
  name: { ...name, optional: true },
  description: text,
  code,
  seenUpdatedAt: {
    type: 'string',
    format: 'date-time',
    optional: true,
    description: 'The updatedAt that the caller last saw. If the function has changed since, the update is refused.',
  },
  accessRules: rules,
  toolSpec: { ...functionTool, nullable: true, description: 'null removes the tool specification.' },
  timeout,
  maxRetries,
  isActive: { type: 'boolean', optional: true },
  exposed: { type: 'boolean', optional: true },
  connections: {
    type: 'array',
    items: () => ConnectionGrant,
    maxItems: 200,
    optional: true,
    description:
      "The connected apps that the code may call. Replaces the whole list. Can only be set by a person or a person's AI client.",
  },
} as const;
export type SiteFunctionChanges = ValuesOf<typeof changedFunction>;

export class UsingPlace {
  @Field({ type: 'string', enum: ['page', 'function', 'email', 'channel', 'proxy', 'policy', 'env-var'] })
  place!: string;
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
}

const { optional: _, ...execute } = executeField;

export class RulesToSet {
  @Field({
    ...execute,
    description: 'An access condition. If empty or null, no user of the site may execute the function.',
  })
  execute!: AccessRules['execute'];

  @Field({
    type: 'object',
    shape: () => SiteRunByShape,
    optional: true,
    description: 'If omitted, the saved value is kept.',
  })
  runBy?: SiteRunByShape;
}
