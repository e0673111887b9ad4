import { command, query } from '../../../engine/operation/bound-operation.js';
import { success, takesAwayWhen } from '../../../engine/operation/operation.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { opensAccess, publishesOpening } from '../../../kernel/condition/opens-access.js';
import { typed } from '../../../kernel/field/field.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { type FunctionDocument, type FunctionEvent, powers } from './function.record.js';
import { FunctionCommands } from './function-commands.api.js';
import { FunctionPowers } from './rights/function-powers.api.js';
import { hasOthersTakingCode } from './rights/service-tools.js';
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
    summary: 'Creates a function, inactive.',
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
    takesAway: takesAwayWhen<FunctionDocument, FunctionEvent>(hasOthersTakingCode),
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
        description: 'Replaced whole.',
      },
      accessRules: { type: 'object', shape: () => AccessRulesShape, optional: true },
      toolSpec: { ...toolSpec, nullable: true, description: 'null removes it.' },
      exposed: { type: 'boolean', optional: true },
      seenUpdatedAt: {
        type: 'string',
        format: 'date-time',
        optional: true,
        description: 'The updatedAt last seen; required with code, grants or accessRules. A stale one is refused.',
      },
    },
    inject: [FunctionCommands],
    handle: (input, call, work) => work.update(call, { id: input.id }, input),
  }),
  command('automations/deleteFunction', {
    summary: 'Deletes a function with its triggers; undoChange brings it back, without its powers and secrets.',
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
    summary: 'Returns one function whole, code included.',
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
    summary: 'Makes the draft live; for a function with Full data access, once a person has approved it.',
    source,
    group: 'function-versions',
    permission: 'functions.edit',
    tools: 'granted',
    gated: true,
    answers: { record: Publication },
    waiting: { record: ChangedFunction },
    risky: publishesOpening,
    input: {
      id,
      versionId: { ...id, description: 'The draft.' },
    },
    inject: [FunctionVersions],
    handle: ({ id, versionId }, call, versions) => versions.publish(call, { id }, versionId),
  }),
  command('automations/rollBackFunction', {
    summary: 'Makes an earlier version live again; no new version comes of it, and an open draft is kept.',
    source,
    group: 'function-versions',
    permission: 'functions.edit',
    tools: 'granted',
    gated: true,
    answers: { record: Publication },
    waiting: { record: ChangedFunction },
    risky: opensAccess,
    input: {
      id,
      versionId: { ...id, description: 'An archived version that was live before.' },
    },
    inject: [FunctionVersions],
    handle: ({ id, versionId }, call, versions) => versions.rollBack(call, { id }, versionId),
  }),
  query('automations/listFunctionVersions', {
    summary: 'Lists the versions, newest first, never their code.',
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
    summary: 'Takes powers away at once; giving one waits for a person.',
    source,
    group: 'function-powers',
    permission: 'functions.edit',
    tools: 'agents',
    takesAway: takesAwayWhen<FunctionDocument, FunctionEvent>(({ type }) => type === 'FunctionPowersTaken'),
    gated: true,
    answers: { record: ChangedFunction },
    input: {
      id,
      capabilities: { ...powerList, description: 'The whole list to keep.' },
      add: { ...powerList, description: 'Only these are asked for, beside what a waiting card asks for.' },
      remove: { ...powerList, description: 'Only these are taken away.' },
      seenVersion: { ...seenVersion, optional: true, description: 'Required to give service (Full data access).' },
    },
    inject: [FunctionPowers],
    handle: (input, call, rights) => rights.setCapabilities(call, { id: input.id }, input),
  }),
  command('automations/setFunctionIdentityMode', {
    summary: 'Asks that a function act as the workspace, or no longer; the Owner or an Admin approves either.',
    source,
    group: 'function-powers',
    permission: 'functions.edit',
    tools: 'agents',
    gated: true,
    answers: { record: ChangedFunction },
    input: {
      id,
      mode: { type: 'string', enum: ['workspace', 'as_set_up'] },
      seenVersion: { ...seenVersion, optional: true, description: 'Required to switch on.' },
    },
    inject: [FunctionPowers],
    handle: (input, call, rights) => rights.setIdentityMode(call, { id: input.id }, input),
  }),
  command('automations/setFunctionSecrets', {
    summary:
      'Sets the secrets that a function may use, whole: what goes, goes at once, what is new waits for a person.',
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
          'What the call removes goes when its card is approved; without anything new to approve it goes at once.',
      },
    },
    inject: [FunctionPowers],
    handle: ({ id, ...sent }, call, rights) => rights.setSecrets(call, { id }, sent),
  }),
];
