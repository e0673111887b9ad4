import { ignoredField, type UndoRecord, undoField } from '../../../../engine/operation/gated-answer.js';
import { anyObject } from '../../../../engine/operation/schema.js';
import type { RunBy } from '../../../../kernel/actors/run-by.js';
import { Field } from '../../../../kernel/field/field.js';
import type { Json, JsonObject } from '../../../../kernel/json/json.js';
import type { KeyFormat } from '../../../../secret-text/granted-secret.js';
import type { AccessRules, Grants } from '../function.record.js';

/**
 * Maximum size of a function's grants, in bytes of JSON. Limited because every list of functions includes the grants.
 */
export const largestGrants = 16 * 1024;

export class BaseGrant {
  @Field({ type: 'string', minLength: 1, maxLength: 200, description: 'Id of a site that the function may access.' })
  projectId!: string;

  @Field({ type: 'string', enum: ['read', 'write'], optional: true, default: 'write' })
  access?: 'read' | 'write';
}

export class ConnectionGrant {
  @Field({ type: 'string', minLength: 1, maxLength: 200, description: 'Id of a connected app.' })
  id!: string;

  @Field({
    type: 'array',
    items: 'string',
    maxItems: 200,
    optional: true,
    description: 'Tools of the app that the function may call. Default: all.',
  })
  tools?: string[];
}

export class GrantsShape {
  @Field({ type: 'array', items: () => BaseGrant, maxItems: 200, optional: true })
  bases?: BaseGrant[];

  @Field({ type: 'array', items: 'string', maxItems: 200, optional: true })
  databaseIds?: string[];

  @Field({ type: 'array', items: () => ConnectionGrant, maxItems: 200, optional: true })
  connections?: ConnectionGrant[];

  @Field({
    type: 'array',
    items: 'string',
    maxItems: 500,
    optional: true,
    description: 'Tools that the function may call with ctx.connections.call.',
  })
  serviceTools?: string[];

  @Field({ type: 'any', optional: true, description: 'Ignored. Use setFunctionCapabilities to change powers.' })
  capabilities?: unknown;
}

const idsSchema = { type: 'array', maxItems: 1_000, items: { type: 'string' } } as const;
const idsOrAnySchemas = [idsSchema, { type: 'string', enum: ['any'] }] as const;

export const idsOrAny = {
  type: 'any',
  schema: { oneOf: idsOrAnySchemas },
  must: "an array of ids or the string 'any'",
} as const;

/** Accepts ids of pages that do not exist; these have no effect (settled question Q-S67). */
export const pagesField = {
  type: 'any',
  optional: true,
  schema: { oneOf: [{ type: 'boolean' }, ...idsOrAnySchemas] },
  must: "true, false, an array of page ids or the string 'any'",
  description:
    "Pages on which visitors may start the function: all (true or 'any'), none (false), or a list of page ids.",
} as const;

export const membersField = {
  type: 'any',
  optional: true,
  schema: {
    oneOf: [
      { type: 'string', enum: ['all', 'admins'] },
      { type: 'object', properties: { people: idsSchema }, required: ['people'], additionalProperties: false },
    ],
  },
  must: "'all', 'admins' or { people: [member ids] }",
} as const;

export class RunByShape {
  @Field({ type: 'boolean', description: 'Whether visitors on site pages may start the function directly.' })
  pages!: boolean;

  @Field(idsOrAny)
  functions!: RunBy['functions'];

  @Field(idsOrAny)
  agents!: RunBy['agents'];

  @Field(membersField)
  members?: NonNullable<RunBy['members']>;
}

const conditionField = {
  type: 'any',
  nullable: true,
  schema: { oneOf: [anyObject, { type: 'array', items: anyObject }] },
  must: 'a condition: an object or an array of rules',
  description: 'An access condition that decides who may invoke the function from outside. null if no one may.',
} as const;
export const executeField = { ...conditionField, optional: true } as const;

export class AccessRulesShape {
  @Field(executeField)
  execute?: Json;

  @Field({ type: 'object', shape: () => RunByShape, optional: true })
  runBy?: RunByShape;
}

export class AccessRulesRecord {
  @Field(conditionField)
  execute!: Json;

  @Field({ type: 'object', shape: () => RunByShape, nullable: true, description: 'null if it was never set.' })
  runBy!: RunBy | null;
}

const toolReturns = ['record', 'record[]', 'id', 'ack'] as const;
const toolKinds = ['read', 'write', 'destructive'] as const;

export class ToolSpecShape {
  @Field({ type: 'object', description: 'JSON Schema of the input.' })
  inputSchema!: JsonObject;

  @Field({ type: 'object', optional: true, description: 'JSON Schema of the result.' })
  outputSchema?: JsonObject;

  @Field({ type: 'string', enum: toolReturns, optional: true })
  returns?: (typeof toolReturns)[number];

  @Field({ type: 'boolean', optional: true })
  sideEffects?: boolean;

  @Field({ type: 'string', enum: toolKinds, optional: true })
  kind?: (typeof toolKinds)[number];
}

export class KeyFormatShape {
  @Field({ type: 'string', enum: ['utf8', 'base64', 'hex'] }) encoding!: KeyFormat['encoding'];
  @Field({
    type: 'string',
    maxLength: 100,
    optional: true,
    description: 'Text before the key that is not part of the key.',
  })
  prefix?: string;
}

export class SecretShape {
  @Field({ type: 'string', minLength: 1, maxLength: 100 }) name!: string;
  @Field({
    type: 'array',
    items: 'string',
    maxItems: 100,
    optional: true,
    description:
      'Hosts to which the secret may be sent. If empty or omitted, the secret can only be used to check signatures.',
  })
  hosts?: string[];
  @Field({ type: 'object', shape: () => KeyFormatShape, optional: true, description: 'Only for signing keys.' })
  keyFormat?: KeyFormatShape;
}

export class DraftRecord {
  @Field({ type: 'string' }) versionId!: string;
  @Field({ type: 'integer' }) number!: number;
  @Field({ type: 'string' }) writtenBy!: string;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
  @Field({ type: 'string' }) code!: string;
  @Field({ type: 'object', shape: () => GrantsShape }) grants!: Grants;
  @Field({ type: 'object', shape: () => AccessRulesRecord }) accessRules!: AccessRules;
  @Field({ type: 'object', shape: () => ToolSpecShape, nullable: true }) toolSpec!: JsonObject | null;
  @Field({ type: 'integer' }) timeout!: number;
  @Field({ type: 'integer' }) maxRetries!: number;
  readonly definition?: JsonObject;
}

export class VersionRecord {
  @Field({ type: 'string', description: 'The versionId for publishFunction and rollBackFunction.' }) id!: string;
  @Field({ type: 'integer' }) number!: number;
  @Field({ type: 'string', enum: ['draft', 'live', 'archived'] }) state!: string;
  @Field({ type: 'boolean' }) isLive!: boolean;
  @Field({ type: 'string' }) writtenBy!: string;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
  @Field({ type: 'string', nullable: true }) publishedBy!: string | null;
  @Field({ type: 'string', format: 'date-time', nullable: true }) publishedAt!: string | null;
  @Field({ type: 'integer', description: 'Number of lines of code that differ from the previous version.' })
  linesChanged!: number;
}

export class VersionList {
  @Field({
    type: 'boolean',
    description: 'Whether function versions are enabled. If false, the list is empty and every save is live at once.',
  })
  switchedOn!: boolean;
  @Field({ type: 'array', items: () => VersionRecord }) versions!: readonly VersionRecord[];
}

export class Publication {
  @Field({ type: 'string' }) versionId!: string;
  @Field({ type: 'integer' }) number!: number;
  @Field({ type: 'string', nullable: true }) publishedBy!: string | null;
  @Field({ type: 'string', format: 'date-time', nullable: true }) publishedAt!: string | null;
  @Field(undoField) undo?: UndoRecord;
}

export class FunctionRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) description!: string;
  @Field({ type: 'string' }) summary!: string;
  @Field({ type: 'string' }) code!: string;
  @Field({ type: 'object', shape: () => GrantsShape }) grants!: Grants;
  @Field({ type: 'object', shape: () => AccessRulesRecord }) accessRules!: AccessRules;
  @Field({ type: 'object', shape: () => ToolSpecShape, nullable: true }) toolSpec!: JsonObject | null;
  @Field({ type: 'integer', description: 'Time limit of a run in milliseconds.' }) timeout!: number;
  @Field({ type: 'integer' }) maxRetries!: number;
  @Field({ type: 'boolean' }) exposed!: boolean;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'string', description: 'Id of the version that runs.' }) liveVersionId!: string;
  @Field({ type: 'object', shape: () => DraftRecord, nullable: true }) draft!: DraftRecord | null;
  @Field({ type: 'array', items: 'string' }) capabilities!: readonly string[];
  @Field({ type: 'string', enum: ['as_set_up', 'workspace'] }) identityMode!: string;
  @Field({ type: 'array', items: () => SecretShape, description: 'Names and hosts. Values are never returned.' })
  secrets!: readonly object[];
  @Field({ type: 'string', description: 'Digest of the stored function. Can be sent as seenVersion.' })
  version!: string;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
  @Field({ type: 'string', format: 'date-time', description: 'Can be sent as seenUpdatedAt.' }) updatedAt!: string;
}

export class ChangedFunction extends FunctionRecord {
  @Field(undoField) undo?: UndoRecord;
}

export class FunctionWithSecrets extends ChangedFunction {
  @Field(ignoredField) ignored?: readonly string[];
}

export class FunctionSummary {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) description!: string;
  @Field({ type: 'string' }) summary!: string;
  @Field({ type: 'boolean' }) exposed!: boolean;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'object', shape: () => GrantsShape }) grants!: Grants;
  @Field({ type: 'string', format: 'date-time' }) updatedAt!: string;
}
