import { ignoredField, type UndoRecord, undoField } from '../../../../engine/operation/gated-answer.js';
import type { RunBy } from '../../../../kernel/actors/run-by.js';
import { Field } from '../../../../kernel/field/field.js';
import type { JsonObject } from '../../../../kernel/json/json.js';
import type { AccessRules, Grants } from '../function.record.js';
import {
  ConnectionGrant,
  executeField,
  idsOrAny,
  membersField,
  pagesField,
  SecretShape,
  ToolSpecShape,
} from './function-shapes.api.js';

/**
 * If `pages`, `functions` or `agents` is omitted, it admits none. If `members` is omitted, all members are admitted.
 */
export class SiteRunByShape {
  @Field(pagesField)
  pages?: RunBy['pages'];

  @Field({ ...idsOrAny, optional: true })
  functions?: RunBy['functions'];

  @Field({ ...idsOrAny, optional: true })
  agents?: RunBy['agents'];

  @Field(membersField)
  members?: NonNullable<RunBy['members']>;
}

export class SiteAccessRulesShape {
  @Field(executeField)
  execute?: AccessRules['execute'];

  @Field({
    type: 'object',
    shape: () => SiteRunByShape,
    optional: true,
    description: 'Default: visitors on any page may start the function.',
  })
  runBy?: SiteRunByShape;
}

/** In stored form, a `runBy` always has `pages`, `functions` and `agents`. */
export function wholeRules(sent: SiteAccessRulesShape | undefined): Partial<AccessRules> | undefined {
  if (sent?.runBy === undefined) return sent as Partial<AccessRules> | undefined;
  const { pages = [], functions = [], agents = [], members } = sent.runBy;
  return { ...sent, runBy: { pages, functions, agents, ...(members === undefined ? {} : { members }) } };
}

export class SiteFunctionRow {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', enum: ['code', 'data'] }) kind!: 'code' | 'data';
  @Field({ type: 'string' }) description!: string;
  @Field({ type: 'string' }) code!: string;
  @Field({
    type: 'object',
    nullable: true,
    description: 'Definition of a data function. null for functions with code.',
  })
  definition!: JsonObject | null;
  @Field({ type: 'integer', description: 'Time limit of a run in milliseconds.' }) timeout!: number;
  @Field({ type: 'object', shape: () => SiteAccessRulesShape }) accessRules!: AccessRules;
  @Field({ type: 'boolean' }) isActive!: boolean;
}

export class SiteDraftRecord {
  @Field({ type: 'string' }) versionId!: string;
  @Field({ type: 'integer' }) number!: number;
  @Field({ type: 'string' }) writtenBy!: string;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
  @Field({ type: 'string' }) code!: string;
  @Field({ type: 'object', nullable: true }) definition!: JsonObject | null;
  @Field({ type: 'array', items: () => ConnectionGrant }) connections!: Grants['connections'];
  @Field({ type: 'object', shape: () => SiteAccessRulesShape }) accessRules!: AccessRules;
  @Field({ type: 'object', shape: () => ToolSpecShape, nullable: true }) toolSpec!: JsonObject | null;
  @Field({ type: 'integer' }) timeout!: number;
  @Field({ type: 'integer' }) maxRetries!: number;
}

export class SiteFunctionRecord extends SiteFunctionRow {
  @Field({ type: 'string' }) projectId!: string;
  @Field({ type: 'object', shape: () => ToolSpecShape, nullable: true }) toolSpec!: JsonObject | null;
  @Field({
    type: 'boolean',
    description: 'Whether the function has a toolSpec, so that AI clients can use it as a tool.',
  })
  isTool!: boolean;
  @Field({ type: 'string', enum: ['member', 'service'], nullable: true, description: 'Only for data functions.' })
  runAs!: 'member' | 'service' | null;
  @Field({ type: 'integer' }) maxRetries!: number;
  @Field({ type: 'boolean', description: 'Whether other sites and automations may call the function as a method.' })
  exposed!: boolean;
  @Field({ type: 'array', items: () => ConnectionGrant, description: 'The connected apps that the code may call.' })
  connections!: Grants['connections'];
  @Field({ type: 'string', description: 'Id of the version that runs.' }) liveVersionId!: string;
  @Field({ type: 'object', shape: () => SiteDraftRecord, nullable: true }) draft!: SiteDraftRecord | null;
  @Field({ type: 'array', items: 'string' }) capabilities!: readonly string[];
  @Field({ type: 'string', enum: ['as_set_up', 'workspace'] }) identityMode!: string;
  @Field({ type: 'array', items: () => SecretShape, description: 'Names and hosts. Values are never returned.' })
  secrets!: readonly object[];
  @Field({ type: 'string', description: 'Digest of the stored function. Can be sent as seenVersion.' })
  version!: string;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
  @Field({ type: 'string', format: 'date-time', description: 'Can be sent as seenUpdatedAt.' }) updatedAt!: string;
}

export class ChangedSiteFunction extends SiteFunctionRecord {
  @Field(undoField) undo?: UndoRecord;
}

export class SiteFunctionWithSecrets extends ChangedSiteFunction {
  @Field(ignoredField) ignored?: readonly string[];
}
