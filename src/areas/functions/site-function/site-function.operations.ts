import { command, query } from '../../../engine/operation/bound-operation.js';
import { type OperationSpec, opensAccess, success, takesAwayWhen } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { KeepFixing } from '../function/cards/keep-fixing.api.js';
import { type FunctionDocument, type FunctionEvent, powers } from '../function/function.record.js';
import { FunctionCommands } from '../function/function-commands.api.js';
import { FunctionPowers } from '../function/rights/function-powers.api.js';
import { functionFields } from '../function/shown/function-fields.api.js';
import { Publication, SecretShape, VersionList } from '../function/shown/function-shapes.api.js';
import {
  ChangedSiteFunction,
  SiteFunctionRecord,
  SiteFunctionRow,
  SiteFunctionWithSecrets,
} from '../function/shown/site-function-shapes.api.js';
import { FunctionVersions } from '../function/versions/function-versions.api.js';
import { changedFunction, namedFunction, newFunction, oneFunction, UsingPlace } from './site-function-inputs.js';
import { SiteFunctions } from './site-functions.js';

const { seenVersion } = functionFields;
const source = 'Sites API, Backend functions';
const within = 'project' as const;
const asks = { source, permission: 'site.read', within, tools: 'granted' } as const;
const changes = { source, permission: 'site.edit', within, tools: 'granted' } as const;
const answers: OperationSpec['answers'] = { record: SiteFunctionRecord };
const powerList = { type: 'array', items: 'string', enum: powers, maxItems: 50, optional: true } as const;

const keepFixingUntil = {
  type: 'string',
  format: 'date-time',
  nullable: true,
  description:
    'Time until which new code of a function with Full data access goes live without approval. null if it needs approval.',
} as const;

export class WholeSiteFunction extends SiteFunctionRecord {
  @Field({
    type: 'array',
    items: () => UsingPlace,
    description:
      'Resources of the site whose access rules call this function. While the function is inactive, those rules deny access.',
  })
  accessRuleUses!: readonly UsingPlace[];

  @Field(keepFixingUntil) keepFixingUntil!: string | null;
}

export const siteFunctionOperations = [
  query('site/listBackendFunctions', {
    ...asks,
    group: 'backend-functions',
    summary: 'Lists the functions of a site, with code and data functions, oldest first.',
    answers: { list: SiteFunctionRow },
    input: {
      projectId: idField,
    },
    inject: [SiteFunctions],
    handle: ({ projectId }, call, functions) => functions.list(call, projectId),
  }),
  query('site/getBackendFunction', {
    ...asks,
    group: 'backend-functions',
    summary: 'Returns one function of a site, and the resources of the site whose access rules call it.',
    answers: { record: WholeSiteFunction },
    input: { ...oneFunction },
    inject: [SiteFunctions],
    handle: (input, call, functions) => functions.get(call, namedFunction(input)),
  }),
  command('site/createBackendFunction', {
    ...changes,
    group: 'backend-functions',
    summary: 'Creates a function of a site from code. Requires a paid plan. Pages call the function by its name.',
    answers,
    risky: opensAccess,
    input: newFunction,
    inject: [SiteFunctions],
    handle: (input, call, functions) => functions.create(call, input),
  }),
  command('site/updateBackendFunction', {
    ...changes,
    group: 'backend-functions',
    summary:
      "Updates a function of a site. If the function has Full data access, changes need a person's approval, except for removals.",
    shutsOut: takesAwayWhen<FunctionDocument, FunctionEvent>(({ type }) => type === 'FunctionDeactivated'),
    gated: true,
    answers: { record: ChangedSiteFunction },
    risky: opensAccess,
    input: changedFunction,
    inject: [SiteFunctions],
    handle: (input, call, functions) => functions.update(call, namedFunction(input), input),
  }),
  command('site/keepFixing', {
    ...changes,
    group: 'backend-functions',
    summary:
      'Allows the code of a function with Full data access to be changed without approval for 24 hours. Applies only to the code.',
    callers: ['person'],
    tools: 'never',
    answers: { fields: { keepFixingUntil } },
    inputName: 'KeepFixingFunction',
    input: {
      ...oneFunction,
      on: { type: 'boolean', optional: true, default: true, description: 'false ends the period.' },
    },
    inject: [KeepFixing],
    handle: (input, call, fixing) => fixing.set(call, namedFunction(input), input.on ?? true),
  }),
  command('site/deleteBackendFunction', {
    ...changes,
    group: 'backend-functions',
    summary:
      'Deletes a function of a site with its triggers. undoChange can restore it, but without its powers and secrets.',
    takesAway: true,
    outside: ['destroys secrets'],
    answers: success,
    input: { ...oneFunction },
    inject: [FunctionCommands],
    handle: (input, call, work) => work.delete(call, namedFunction(input)),
  }),
  command('site/publishBackendFunction', {
    ...changes,
    group: 'function-versions',
    summary:
      "Publishes the open draft of a site function, which becomes the live version. If the function has Full data access, this needs a person's approval.",
    gated: true,
    answers: { record: Publication },
    waiting: { record: ChangedSiteFunction },
    risky: opensAccess,
    input: { ...oneFunction, versionId: { ...idField, description: 'Id of the open draft.' } },
    inject: [FunctionVersions],
    handle: (input, call, versions) => versions.publish(call, namedFunction(input), input.versionId),
  }),
  command('site/rollBackBackendFunction', {
    ...changes,
    group: 'function-versions',
    summary: 'Makes an earlier version live again. No new version is created, and an open draft is kept.',
    gated: true,
    answers: { record: Publication },
    waiting: { record: ChangedSiteFunction },
    risky: opensAccess,
    input: {
      ...oneFunction,
      versionId: { ...idField, description: 'Id of an archived version that was live before.' },
    },
    inject: [FunctionVersions],
    handle: (input, call, versions) => versions.rollBack(call, namedFunction(input), input.versionId),
  }),
  query('site/listBackendFunctionVersions', {
    ...asks,
    group: 'function-versions',
    summary: 'Lists the versions of a site function, newest first, without their code.',
    answers: { record: VersionList },
    input: { ...oneFunction },
    inject: [FunctionVersions],
    handle: (input, call, versions) => versions.list(call, namedFunction(input)),
  }),
  command('site/setFunctionCapabilities', {
    ...changes,
    group: 'function-powers',
    summary: "Changes the powers of a site function. Removals take effect at once; additions need a person's approval.",
    tools: 'agents',
    takesAway: takesAwayWhen<FunctionDocument, FunctionEvent>(({ type }) => type === 'FunctionPowersTaken'),
    gated: true,
    answers: { record: ChangedSiteFunction },
    inputName: 'SetSiteFunctionCapabilities',
    input: {
      ...oneFunction,
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
    handle: (input, call, rights) => rights.setCapabilities(call, namedFunction(input), input),
  }),
  command('site/setFunctionIdentityMode', {
    ...changes,
    group: 'function-powers',
    summary:
      'Requests that a site function act as the workspace, or stop doing so. Either needs the approval of the Owner or an Admin.',
    tools: 'agents',
    gated: true,
    answers: { record: ChangedSiteFunction },
    inputName: 'SetSiteFunctionIdentityMode',
    input: {
      ...oneFunction,
      mode: { type: 'string', enum: ['workspace', 'as_set_up'] },
      seenVersion: {
        ...seenVersion,
        optional: true,
        description: 'The `version` that the caller last saw. Required with mode `workspace`.',
      },
    },
    inject: [FunctionPowers],
    handle: (input, call, rights) => rights.setIdentityMode(call, namedFunction(input), input),
  }),
  command('site/setFunctionSecrets', {
    ...changes,
    group: 'function-powers',
    summary:
      "Replaces the list of the site's secrets that a function may use. Removals take effect at once; additions need a person's approval.",
    callers: ['person', 'connection'],
    tools: 'never',
    takesAway: takesAwayWhen<FunctionDocument, FunctionEvent>(({ type }) => type === 'FunctionSecretsTaken'),
    gated: true,
    answers: { record: SiteFunctionWithSecrets },
    inputName: 'SetSiteFunctionSecrets',
    input: {
      ...oneFunction,
      secrets: { type: 'array', items: () => SecretShape, maxItems: 200 },
      keepUntilApproved: {
        type: 'boolean',
        optional: true,
        description:
          'If true, removals take effect when the additions are approved. If there are no additions, removals take effect at once.',
      },
    },
    inject: [FunctionPowers],
    handle: (input, call, rights) => rights.setSecrets(call, namedFunction(input), input),
  }),
];
