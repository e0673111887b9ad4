import { Operation, type OperationSpec, success, takesAwayWhen } from '../../../engine/operation/operation.js';
import { opensAccess, publishesOpening } from '../../../kernel/condition/opens-access.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import {
  type AccountFunction,
  type FunctionEvent,
  type IdentityMode,
  type Power,
  powers,
} from '../function/function.record.js';
import { functionFields } from '../function/shown/function-fields.api.js';
import {
  ConnectionGrant,
  Publication,
  SecretShape,
  ToolSpecShape,
  VersionList,
} from '../function/shown/function-shapes.api.js';
import {
  ChangedSiteFunction,
  SiteAccessRulesShape,
  SiteFunctionRecord,
  SiteFunctionRow,
  SiteFunctionWithSecrets,
} from '../function/shown/site-function-shapes.api.js';

const { name, text, code, seenVersion, maxRetries, timeout } = functionFields;
const source = 'Sites API, Backend functions';
const within = 'project' as const;
const asks = { source, effect: 'query', permission: 'site.read', within, tools: 'granted' } as const;
const changes = { source, effect: 'command', permission: 'site.edit', within, tools: 'granted' } as const;
const answers: OperationSpec['answers'] = { record: SiteFunctionRecord };
const functionTool = { type: 'object', shape: () => ToolSpecShape, optional: true } as const;
const rules = { type: 'object', shape: () => SiteAccessRulesShape, optional: true } as const;
const powerList = { type: 'array', items: 'string', enum: powers, maxItems: 50, optional: true } as const;

const keepFixingUntil = {
  type: 'string',
  format: 'date-time',
  nullable: true,
  description: 'Until then new code of a function with Full data access goes live without a card; null: it waits.',
} as const;

/** What names a function of a site. */
class OneFunction {
  @Field(idField) projectId!: string;
  @Field(idField) functionId!: string;
}

export class UsingPlace {
  @Field({ type: 'string', enum: ['page', 'function', 'email', 'channel', 'proxy', 'policy', 'env-var'] })
  place!: string;
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
}

export class WholeSiteFunction extends SiteFunctionRecord {
  @Field({
    type: 'array',
    items: () => UsingPlace,
    description: 'The places of the site whose access rule asks it. While it is inactive, those rules let nobody in.',
  })
  accessRuleUses!: readonly UsingPlace[];

  @Field(keepFixingUntil) keepFixingUntil!: string | null;
}

@Operation('site/listBackendFunctions', {
  ...asks,
  group: 'backend-functions',
  summary: 'Lists the functions of a site, those of code and those of data, the oldest first.',
  answers: { list: SiteFunctionRow },
})
export class ListBackendFunctions {
  @Field(idField) projectId!: string;
}

@Operation('site/getBackendFunction', {
  ...asks,
  group: 'backend-functions',
  summary: 'Returns one function of a site whole, and the places of the site that ask it who may enter.',
  answers: { record: WholeSiteFunction },
})
export class GetBackendFunction extends OneFunction {}

@Operation('site/createBackendFunction', {
  ...changes,
  group: 'backend-functions',
  summary: 'Makes a function of a site from code, on paid plans. Pages call it by its name.',
  answers,
  risky: opensAccess,
})
export class CreateBackendFunction {
  @Field(idField) projectId!: string;
  @Field(name) name!: string;
  @Field(text) description?: string;
  @Field(code) code?: string;
  @Field(rules) accessRules?: SiteAccessRulesShape;
  @Field({ ...timeout, default: 30_000 }) timeout?: number;
  @Field({ ...maxRetries, default: 0 }) maxRetries?: number;
  @Field(functionTool) toolSpec?: ToolSpecShape & JsonObject;
  @Field({ type: 'boolean', optional: true, default: false, description: 'A method for other sites and automations.' })
  exposed?: boolean;
}

@Operation('site/updateBackendFunction', {
  ...changes,
  group: 'backend-functions',
  summary: 'Updates a function of a site. With Full data access, a save waits for a person, but not a removal.',
  shutsOut: takesAwayWhen<AccountFunction, FunctionEvent>(({ type }) => type === 'FunctionDeactivated'),
  gated: true,
  answers: { record: ChangedSiteFunction },
  risky: opensAccess,
})
export class UpdateBackendFunction extends OneFunction {
  @Field({ ...name, optional: true }) name?: string;
  @Field(text) description?: string;
  @Field(code) code?: string;
  @Field({
    type: 'string',
    format: 'date-time',
    optional: true,
    description: 'The updatedAt last seen. A stale one is refused.',
  })
  seenUpdatedAt?: string;
  @Field(rules) accessRules?: SiteAccessRulesShape;
  @Field({ ...functionTool, nullable: true, description: 'null removes it.' }) toolSpec?:
    | (ToolSpecShape & JsonObject)
    | null;
  @Field(timeout) timeout?: number;
  @Field(maxRetries) maxRetries?: number;
  @Field({ type: 'boolean', optional: true }) isActive?: boolean;
  @Field({ type: 'boolean', optional: true }) exposed?: boolean;
  @Field({
    type: 'array',
    items: () => ConnectionGrant,
    maxItems: 200,
    optional: true,
    description: 'The connected apps that its code may call, as a whole; set by a person or their own AI client.',
  })
  connections?: ConnectionGrant[];
}

@Operation('site/keepFixing', {
  ...changes,
  group: 'backend-functions',
  summary:
    'Lets the code of a function with Full data access, and nothing else, be changed without cards for 24 hours.',
  callers: ['person'],
  tools: 'never',
  answers: { fields: { keepFixingUntil } },
})
export class KeepFixingFunction extends OneFunction {
  @Field({ type: 'boolean', optional: true, default: true, description: 'false ends it.' }) on?: boolean;
}

@Operation('site/deleteBackendFunction', {
  ...changes,
  group: 'backend-functions',
  summary: 'Deletes a function of a site with its triggers; undoChange brings it back, without its powers and secrets.',
  takesAway: true,
  outside: ['destroys secrets'],
  answers: success,
})
export class DeleteBackendFunction extends OneFunction {}

@Operation('site/publishBackendFunction', {
  ...changes,
  group: 'function-versions',
  summary: 'Makes the draft of a site function live; with Full data access, once a person has approved it.',
  gated: true,
  answers: { record: Publication },
  risky: publishesOpening,
})
export class PublishBackendFunction extends OneFunction {
  @Field({ ...idField, description: 'The draft.' }) versionId!: string;
}

@Operation('site/rollBackBackendFunction', {
  ...changes,
  group: 'function-versions',
  summary: 'Makes an earlier version live again; no new version comes of it, and an open draft is kept.',
  gated: true,
  answers: { record: Publication },
  risky: opensAccess,
})
export class RollBackBackendFunction extends OneFunction {
  @Field({ ...idField, description: 'An archived version that was live before.' }) versionId!: string;
}

@Operation('site/listBackendFunctionVersions', {
  ...asks,
  group: 'function-versions',
  summary: 'Lists the versions of a site function, newest first, never their code.',
  answers: { record: VersionList },
})
export class ListBackendFunctionVersions extends OneFunction {}

@Operation('site/setFunctionCapabilities', {
  ...changes,
  group: 'function-powers',
  summary: 'Takes powers of a site function away at once; giving one waits for a person.',
  tools: 'agents',
  takesAway: takesAwayWhen<AccountFunction, FunctionEvent>(({ type }) => type === 'FunctionPowersTaken'),
  gated: true,
  answers: { record: ChangedSiteFunction },
})
export class SetSiteFunctionCapabilities extends OneFunction {
  @Field({ ...powerList, description: 'The whole list to keep.' }) capabilities?: Power[];
  @Field({ ...powerList, description: 'Only these are asked for, beside what a waiting card asks for.' }) add?: Power[];
  @Field({ ...powerList, description: 'Only these are taken away.' }) remove?: Power[];
  @Field({ ...seenVersion, optional: true, description: 'Required to give service (Full data access).' })
  seenVersion?: string;
}

@Operation('site/setFunctionIdentityMode', {
  ...changes,
  group: 'function-powers',
  summary: 'Asks that a site function act as the workspace, or no longer; the Owner or an Admin approves either.',
  tools: 'agents',
  gated: true,
  answers: { record: ChangedSiteFunction },
})
export class SetSiteFunctionIdentityMode extends OneFunction {
  @Field({ type: 'string', enum: ['workspace', 'as_set_up'] }) mode!: IdentityMode;
  @Field({ ...seenVersion, optional: true, description: 'Required to switch on.' }) seenVersion?: string;
}

@Operation('site/setFunctionSecrets', {
  ...changes,
  group: 'function-powers',
  summary: "Sets the site's secrets that a function may use, whole: what goes, goes at once, what is new waits.",
  callers: ['person', 'connection'],
  tools: 'never',
  takesAway: takesAwayWhen<AccountFunction, FunctionEvent>(({ type }) => type === 'FunctionSecretsTaken'),
  gated: true,
  answers: { record: SiteFunctionWithSecrets },
})
export class SetSiteFunctionSecrets extends OneFunction {
  @Field({ type: 'array', items: () => SecretShape, maxItems: 200 }) secrets!: SecretShape[];
  @Field({
    type: 'boolean',
    optional: true,
    description:
      'What the call removes goes when its card is approved; without anything new to approve it goes at once.',
  })
  keepUntilApproved?: boolean;
}
