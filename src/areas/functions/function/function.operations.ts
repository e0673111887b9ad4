import { command, query } from '../../../engine/operation/bound-operation.js';
import { opensAccess, success, takesAwayWhen } from '../../../engine/operation/operation.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { typed } from '../../../kernel/field/field.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { type FunctionDocument, type FunctionEvent, powers } from './function.record.js';
import { FunctionCommands } from './function-commands.api.js';
import { FunctionPowers } from './rights/function-powers.api.js';
import { takesAwayByCode } from './rights/taking-code.api.js';
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
import { functionSummary } from './shown/function-view.js';
import { FunctionVersions } from './versions/function-versions.api.js';

const source = 'Automations API, Functions';
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;
const powerList = { type: 'array', items: 'string', enum: powers, maxItems: 50, optional: true } as const;
const toolSpec = typed<ToolSpecShape & JsonObject>()({ type: 'object', shape: () => ToolSpecShape, optional: true });
const { name, text, code, seenVersion, maxRetries, timeout } = functionFields;

export const functionOperations = [
  command('automations/createFunction', {
    summary: 'Creates a function. It is inactive until it is activated.',
    source,
    group: 'functions',
    permission: 'functions.edit',
    tools: 'granted',
    answers: { record: FunctionRecord },
    input: {
      name,
      description: text,
      code,
      grants: { type: 'object', shape: () => GrantsShape, maxBytes: largestGrants, optional: true },
      accessRules: { type: 'object', shape: () => AccessRulesShape, optional: true },
      maxRetries: { ...maxRetries, default: 0 },
      toolSpec,
      exposed: { type: 'boolean', optional: true, default: false },
    },
    inject: [FunctionCommands],
    handle: (input, call, work) => work.create(call, input),
  }),
  command('automations/updateFunction', {
    summary: 'Updates a function.',
    source,
    group: 'functions',
    permission: 'functions.edit',
    tools: 'granted',
    takesAway: takesAwayByCode,
    shutsOut: takesAwayWhen<FunctionDocument, FunctionEvent>(({ type }) => type === 'FunctionDeactivated'),
    gated: true,
    answers: { record: ChangedFunction },
    risky: opensAccess,
    input: {
      id,
      name: { ...name, optional: true },
      description: text,
      summary: text,
      code,
      isActive: { type: 'boolean', optional: true },
      timeout,
      maxRetries,
      grants: {
        type: 'object',
        shape: () => GrantsShape,
        maxBytes: largestGrants,
        optional: true,
        description: 'Replaces all grants.',
      },
      accessRules: { type: 'object', shape: () => AccessRulesShape, optional: true },
      toolSpec: { ...toolSpec, nullable: true, description: 'null removes the tool specification.' },
      exposed: { type: 'boolean', optional: true },
      seenUpdatedAt: {
        type: 'string',
        format: 'date-time',
        optional: true,
        description:
          'The updatedAt that the caller last saw. Required with code, grants or accessRules. If the function has changed since, the update is refused.',
      },
    },
    inject: [FunctionCommands],
    handle: (input, call, work) => work.update(call, { id: input.id }, input),
  }),
  command('automations/deleteFunction', {
    summary: 'Deletes a function with its triggers. undoChange can restore it, but without its powers and secrets.',
    source,
    group: 'functions',
    permission: 'functions.edit',
    tools: 'granted',
    takesAway: true,
    outside: ['destroys secrets'],
    answers: success,
    input: {
      id,
    },
    inject: [FunctionCommands],
    handle: ({ id }, call, work) => work.delete(call, { id }),
  }),
  query('automations/getFunction', {
    summary: 'Returns one function with its code.',
    source,
    group: 'functions',
    permission: 'functions.read',
    tools: 'granted',
    answers: { record: FunctionRecord },
    input: {
      id,
    },
    inject: [FunctionCommands],
    handle: async ({ id }, { workspaceId }, work) => work.shown(await work.find(workspaceId, { id })),
  }),
  query('automations/listFunctions', {
    summary: 'Lists the functions of the workspace, without their code.',
    source,
    group: 'functions',
    permission: 'functions.read',
    tools: 'granted',
    answers: { list: FunctionSummary },
    input: {},
    inject: [Reads],
    handle: async (_, { workspaceId }, reads) => {
      const all = await reads.find<FunctionDocument>(workspaceId, 'functions', { sort: [['createdAt', 'asc']] });
      return all.map(functionSummary);
    },
  }),
  command('automations/publishFunction', {
    summary:
      "Publishes the open draft, which becomes the live version. If the function has Full data access, this needs a person's approval.",
    source,
    group: 'function-versions',
    permission: 'functions.edit',
    tools: 'granted',
    takesAway: takesAwayByCode,
    gated: true,
    answers: { record: Publication },
    waiting: { record: ChangedFunction },
    risky: opensAccess,
    input: {
      id,
      versionId: { ...id, description: 'Id of the open draft.' },
    },
    inject: [FunctionVersions],
    handle: ({ id, versionId }, call, versions) => versions.publish(call, { id }, versionId),
  }),
  command('automations/rollBackFunction', {
    summary: 'Makes an earlier version live again. No new version is created, and an open draft is kept.',
    source,
    group: 'function-versions',
    permission: 'functions.edit',
    tools: 'granted',
    takesAway: takesAwayByCode,
    gated: true,
    answers: { record: Publication },
    waiting: { record: ChangedFunction },
    risky: opensAccess,
    input: {
      id,
      versionId: { ...id, description: 'Id of an archived version that was live before.' },
    },
    inject: [FunctionVersions],
    handle: ({ id, versionId }, call, versions) => versions.rollBack(call, { id }, versionId),
  }),
  query('automations/listFunctionVersions', {
    summary: 'Lists the versions of a function, newest first, without their code.',
    source,
    group: 'function-versions',
    permission: 'functions.read',
    tools: 'granted',
    answers: { record: VersionList },
    input: {
      functionId: id,
    },
    inject: [FunctionVersions],
    handle: ({ functionId }, call, versions) => versions.list(call, { id: functionId }),
  }),
  command('automations/setFunctionCapabilities', {
    summary: "Changes the powers of a function. Removals take effect at once; additions need a person's approval.",
    source,
    group: 'function-powers',
    permission: 'functions.edit',
    tools: 'agents',
    takesAway: takesAwayWhen<FunctionDocument, FunctionEvent>(({ type }) => type === 'FunctionPowersTaken'),
    gated: true,
    answers: { record: ChangedFunction },
    input: {
      id,
      capabilities: {
        ...powerList,
        description: 'The complete list of powers. Powers that are not listed are removed.',
      },
      add: {
        ...powerList,
        description:
          'Powers to add. Powers that are already waiting for approval are requested again together with these.',
      },
      remove: { ...powerList, description: 'Powers to remove.' },
      seenVersion: {
        ...seenVersion,
        optional: true,
        description: 'The `version` that the caller last saw. Required to add service (Full data access).',
      },
    },
    inject: [FunctionPowers],
    handle: (input, call, rights) => rights.setCapabilities(call, { id: input.id }, input),
  }),
  command('automations/setFunctionIdentityMode', {
    summary:
      'Requests that a function act as the workspace, or stop doing so. Either needs the approval of the Owner or an Admin.',
    source,
    group: 'function-powers',
    permission: 'functions.edit',
    tools: 'agents',
    gated: true,
    answers: { record: ChangedFunction },
    input: {
      id,
      mode: { type: 'string', enum: ['workspace', 'as_set_up'] },
      seenVersion: {
        ...seenVersion,
        optional: true,
        description: 'The `version` that the caller last saw. Required with mode `workspace`.',
      },
    },
    inject: [FunctionPowers],
    handle: (input, call, rights) => rights.setIdentityMode(call, { id: input.id }, input),
  }),
  command('automations/setFunctionSecrets', {
    summary:
      "Replaces the list of secrets that a function may use. Removals take effect at once; additions need a person's approval.",
    source,
    group: 'function-powers',
    permission: 'functions.edit',
    callers: ['person', 'connection'],
    tools: 'never',
    takesAway: takesAwayWhen<FunctionDocument, FunctionEvent>(({ type }) => type === 'FunctionSecretsTaken'),
    gated: true,
    answers: { record: FunctionWithSecrets },
    input: {
      id,
      secrets: { type: 'array', items: () => SecretShape, maxItems: 200 },
      keepUntilApproved: {
        type: 'boolean',
        optional: true,
        description:
          'If true, removals take effect when the additions are approved. If there are no additions, removals take effect at once.',
      },
    },
    inject: [FunctionPowers],
    handle: ({ id, ...sent }, call, rights) => rights.setSecrets(call, { id }, sent),
  }),
];
