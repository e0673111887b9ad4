import { Operation, success, takesAwayWhen } from '../../../engine/operation/operation.js';
import { opensAccess, publishesOpening } from '../../../kernel/condition/opens-access.js';
import { Field } from '../../../kernel/field/field.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { type AccountFunction, type FunctionEvent, type IdentityMode, type Power, powers } from './function.record.js';
import { hasOthersTakeAway } from './rights/service-tools.js';
import { functionFields } from './shown/function-fields.api.js';
import {
  AccessRulesShape,
  ChangedFunction,
  FunctionRecord,
  FunctionSummary,
  FunctionWithSecrets,
  GrantsShape,
  largestGrants,
  Publication,
  SecretShape,
  ToolSpecShape,
  VersionList,
} from './shown/function-shapes.api.js';

const source = 'Automations API, Functions';
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;
const { name, text, code, seenVersion, maxRetries, timeout } = functionFields;

@Operation('automations/createFunction', {
  summary: 'Creates a function, inactive.',
  source,
  group: 'functions',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  answers: { record: FunctionRecord },
})
export class CreateFunction {
  @Field(name) name!: string;
  @Field(text) description?: string;
  @Field(code) code?: string;
  @Field({ type: 'object', shape: () => GrantsShape, maxBytes: largestGrants, optional: true }) grants?: GrantsShape;
  @Field({ type: 'object', shape: () => AccessRulesShape, optional: true }) accessRules?: AccessRulesShape;
  @Field({ ...maxRetries, default: 0 }) maxRetries?: number;
  @Field({ type: 'object', shape: () => ToolSpecShape, optional: true }) toolSpec?: ToolSpecShape & JsonObject;
  @Field({ type: 'boolean', optional: true, default: false }) exposed?: boolean;
}

@Operation('automations/updateFunction', {
  summary: 'Updates a function.',
  source,
  group: 'functions',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  takesAway: takesAwayWhen<AccountFunction, FunctionEvent>(hasOthersTakeAway),
  shutsOut: takesAwayWhen<AccountFunction, FunctionEvent>(({ type }) => type === 'FunctionDeactivated'),
  gated: true,
  answers: { record: ChangedFunction },
  risky: opensAccess,
})
export class UpdateFunction {
  @Field(id) id!: string;
  @Field({ ...name, optional: true }) name?: string;
  @Field(text) description?: string;
  @Field(text) summary?: string;
  @Field(code) code?: string;
  @Field({ type: 'boolean', optional: true }) isActive?: boolean;
  @Field(timeout) timeout?: number;
  @Field(maxRetries) maxRetries?: number;
  @Field({
    type: 'object',
    shape: () => GrantsShape,
    maxBytes: largestGrants,
    optional: true,
    description: 'Replaced whole.',
  })
  grants?: GrantsShape;
  @Field({ type: 'object', shape: () => AccessRulesShape, optional: true }) accessRules?: AccessRulesShape;
  @Field({
    type: 'object',
    shape: () => ToolSpecShape,
    optional: true,
    nullable: true,
    description: 'null removes it.',
  })
  toolSpec?: (ToolSpecShape & JsonObject) | null;
  @Field({ type: 'boolean', optional: true }) exposed?: boolean;
  @Field({
    type: 'string',
    format: 'date-time',
    optional: true,
    description: 'The updatedAt last seen; required with code, grants or accessRules. A stale one is refused.',
  })
  seenUpdatedAt?: string;
}

@Operation('automations/deleteFunction', {
  summary: 'Deletes a function with its triggers; undoChange brings it back, without its powers and secrets.',
  source,
  group: 'functions',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  takesAway: true,
  outside: ['destroys secrets'],
  answers: success,
})
export class DeleteFunction {
  @Field(id) id!: string;
}

@Operation('automations/getFunction', {
  summary: 'Returns one function whole, code included.',
  source,
  group: 'functions',
  effect: 'query',
  permission: 'functions.read',
  tools: 'granted',
  answers: { record: FunctionRecord },
})
export class GetFunction {
  @Field(id) id!: string;
}

@Operation('automations/listFunctions', {
  summary: 'Lists the functions of the workspace, without their code.',
  source,
  group: 'functions',
  effect: 'query',
  permission: 'functions.read',
  tools: 'granted',
  answers: { list: FunctionSummary },
})
export class ListFunctions {}

@Operation('automations/publishFunction', {
  summary: 'Makes the draft live; for a function with Full data access, once a person has approved it.',
  source,
  group: 'function-versions',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  gated: true,
  answers: { record: Publication },
  risky: publishesOpening,
})
export class PublishFunction {
  @Field(id) id!: string;
  @Field({ ...id, description: 'The draft.' }) versionId!: string;
}

@Operation('automations/rollBackFunction', {
  summary: 'Makes an earlier version live again; no new version comes of it, and an open draft is kept.',
  source,
  group: 'function-versions',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  gated: true,
  answers: { record: Publication },
  risky: opensAccess,
})
export class RollBackFunction {
  @Field(id) id!: string;
  @Field({ ...id, description: 'An archived version that was live before.' }) versionId!: string;
}

@Operation('automations/listFunctionVersions', {
  summary: 'Lists the versions, newest first, never their code.',
  source,
  group: 'function-versions',
  effect: 'query',
  permission: 'functions.read',
  tools: 'granted',
  answers: { record: VersionList },
})
export class ListFunctionVersions {
  @Field(id) functionId!: string;
}

@Operation('automations/setFunctionCapabilities', {
  summary: 'Takes powers away at once; giving one waits for a person.',
  source,
  group: 'function-powers',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'agents',
  takesAway: takesAwayWhen<AccountFunction, FunctionEvent>(({ type }) => type === 'FunctionPowersTaken'),
  gated: true,
  answers: { record: ChangedFunction },
})
export class SetFunctionCapabilities {
  @Field(id) id!: string;
  @Field({
    type: 'array',
    items: 'string',
    enum: powers,
    maxItems: 50,
    optional: true,
    description: 'The whole list to keep.',
  })
  capabilities?: Power[];
  @Field({
    type: 'array',
    items: 'string',
    enum: powers,
    maxItems: 50,
    optional: true,
    description: 'Only these are asked for, beside what a waiting card asks for.',
  })
  add?: Power[];
  @Field({
    type: 'array',
    items: 'string',
    enum: powers,
    maxItems: 50,
    optional: true,
    description: 'Only these are taken away.',
  })
  remove?: Power[];
  @Field({ ...seenVersion, optional: true, description: 'Required to give service (Full data access).' })
  seenVersion?: string;
}

@Operation('automations/setFunctionIdentityMode', {
  summary: 'Asks that a function act as the workspace, or no longer; the Owner or an Admin approves either.',
  source,
  group: 'function-powers',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'agents',
  gated: true,
  answers: { record: ChangedFunction },
})
export class SetFunctionIdentityMode {
  @Field(id) id!: string;
  @Field({ type: 'string', enum: ['workspace', 'as_set_up'] }) mode!: IdentityMode;
  @Field({ ...seenVersion, optional: true, description: 'Required to switch on.' }) seenVersion?: string;
}

@Operation('automations/setFunctionSecrets', {
  summary: 'Sets the secrets that a function may use, whole: what goes, goes at once, what is new waits for a person.',
  source,
  group: 'function-powers',
  effect: 'command',
  permission: 'functions.edit',
  callers: ['person', 'connection'],
  tools: 'never',
  takesAway: takesAwayWhen<AccountFunction, FunctionEvent>(({ type }) => type === 'FunctionSecretsTaken'),
  gated: true,
  answers: { record: FunctionWithSecrets },
})
export class SetFunctionSecrets {
  @Field(id) id!: string;
  @Field({ type: 'array', items: () => SecretShape, maxItems: 200 }) secrets!: SecretShape[];
  @Field({
    type: 'boolean',
    optional: true,
    description:
      'What the call removes goes when its card is approved; without anything new to approve it goes at once.',
  })
  keepUntilApproved?: boolean;
}
