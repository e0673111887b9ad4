import { command, query } from '../../../engine/operation/bound-operation.js';
import { type OperationSpec, success, takesAwayWhen } from '../../../engine/operation/operation.js';
import { opensAccess, publishesOpening } from '../../../kernel/condition/opens-access.js';
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
  description: 'Until then new code of a function with Full data access goes live without a card; null: it waits.',
} as const;

export class WholeSiteFunction extends SiteFunctionRecord {
  @Field({
    type: 'array',
    items: () => UsingPlace,
    description: 'The places of the site whose access rule asks it. While it is inactive, those rules let nobody in.',
  })
  accessRuleUses!: readonly UsingPlace[];

  @Field(keepFixingUntil) keepFixingUntil!: string | null;
}

export const siteFunctionOperations = [
  query('site/listBackendFunctions', {
    ...asks,
    group: 'backend-functions',
    summary: 'Lists the functions of a site, those of code and those of data, the oldest first.',
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
    summary: 'Returns one function of a site whole, and the places of the site that ask it who may enter.',
    answers: { record: WholeSiteFunction },
    input: { ...oneFunction },
    inject: [SiteFunctions],
    handle: (input, call, functions) => functions.get(call, namedFunction(input)),
  }),
  command('site/createBackendFunction', {
    ...changes,
    group: 'backend-functions',
    summary: 'Makes a function of a site from code, on paid plans. Pages call it by its name.',
    answers,
    risky: opensAccess,
    input: newFunction,
    inject: [SiteFunctions],
    handle: (input, call, functions) => functions.create(call, input),
  }),
  command('site/updateBackendFunction', {
    ...changes,
    group: 'backend-functions',
    summary: 'Updates a function of a site. With Full data access, a save waits for a person, but not a removal.',
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
      'Lets the code of a function with Full data access, and nothing else, be changed without cards for 24 hours.',
    callers: ['person'],
    tools: 'never',
    answers: { fields: { keepFixingUntil } },
    inputName: 'KeepFixingFunction',
    input: { ...oneFunction, on: { type: 'boolean', optional: true, default: true, description: 'false ends it.' } },
    inject: [KeepFixing],
    handle: (input, call, fixing) => fixing.set(call, namedFunction(input), input.on ?? true),
  }),
  command('site/deleteBackendFunction', {
    ...changes,
    group: 'backend-functions',
    summary:
      'Deletes a function of a site with its triggers; undoChange brings it back, without its powers and secrets.',
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
    summary: 'Makes the draft of a site function live; with Full data access, once a person has approved it.',
    gated: true,
    answers: { record: Publication },
    waiting: { record: ChangedSiteFunction },
    risky: publishesOpening,
    input: { ...oneFunction, versionId: { ...idField, description: 'The draft.' } },
    inject: [FunctionVersions],
    handle: (input, call, versions) => versions.publish(call, namedFunction(input), input.versionId),
  }),
  command('site/rollBackBackendFunction', {
    ...changes,
    group: 'function-versions',
    summary: 'Makes an earlier version live again; no new version comes of it, and an open draft is kept.',
    gated: true,
    answers: { record: Publication },
    waiting: { record: ChangedSiteFunction },
    risky: opensAccess,
    input: { ...oneFunction, versionId: { ...idField, description: 'An archived version that was live before.' } },
    inject: [FunctionVersions],
    handle: (input, call, versions) => versions.rollBack(call, namedFunction(input), input.versionId),
  }),
  query('site/listBackendFunctionVersions', {
    ...asks,
    group: 'function-versions',
    summary: 'Lists the versions of a site function, newest first, never their code.',
    answers: { record: VersionList },
    input: { ...oneFunction },
    inject: [FunctionVersions],
    handle: (input, call, versions) => versions.list(call, namedFunction(input)),
  }),
  command('site/setFunctionCapabilities', {
    ...changes,
    group: 'function-powers',
    summary: 'Takes powers of a site function away at once; giving one waits for a person.',
    tools: 'agents',
    takesAway: takesAwayWhen<FunctionDocument, FunctionEvent>(({ type }) => type === 'FunctionPowersTaken'),
    gated: true,
    answers: { record: ChangedSiteFunction },
    inputName: 'SetSiteFunctionCapabilities',
    input: {
      ...oneFunction,
      capabilities: { ...powerList, description: 'The whole list to keep.' },
      add: { ...powerList, description: 'Only these are asked for, beside what a waiting card asks for.' },
      remove: { ...powerList, description: 'Only these are taken away.' },
      seenVersion: { ...seenVersion, optional: true, description: 'Required to give service (Full data access).' },
    },
    inject: [FunctionPowers],
    handle: (input, call, rights) => rights.setCapabilities(call, namedFunction(input), input),
  }),
  command('site/setFunctionIdentityMode', {
    ...changes,
    group: 'function-powers',
    summary: 'Asks that a site function act as the workspace, or no longer; the Owner or an Admin approves either.',
    tools: 'agents',
    gated: true,
    answers: { record: ChangedSiteFunction },
    inputName: 'SetSiteFunctionIdentityMode',
    input: {
      ...oneFunction,
      mode: { type: 'string', enum: ['workspace', 'as_set_up'] },
      seenVersion: { ...seenVersion, optional: true, description: 'Required to switch on.' },
    },
    inject: [FunctionPowers],
    handle: (input, call, rights) => rights.setIdentityMode(call, namedFunction(input), input),
  }),
  command('site/setFunctionSecrets', {
    ...changes,
    group: 'function-powers',
    summary: "Sets the site's secrets that a function may use, whole: what goes, goes at once, what is new waits.",
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
          'What the call removes goes when its card is approved; without anything new to approve it goes at once.',
      },
    },
    inject: [FunctionPowers],
    handle: (input, call, rights) => rights.setSecrets(call, namedFunction(input), input),
  }),
];
