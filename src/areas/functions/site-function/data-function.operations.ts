import { command } from '../../../engine/operation/bound-operation.js';
import { takesAwayWhen } from '../../../engine/operation/operation.js';
import { opensAccess } from '../../../kernel/condition/opens-access.js';
import { type ValuesOf } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { largestDefinition } from '../data-function/data-definition.api.js';
import type { AccountFunction, FunctionEvent } from '../function/function.record.js';
import { functionFields } from '../function/shown/function-fields.api.js';
import { ChangedSiteFunction, SiteAccessRulesShape } from '../function/shown/site-function-shapes.api.js';
import { DataFunctions } from './data-functions.js';

const { name, text, seenVersion } = functionFields;
const declared = {
  source: 'Sites API, Backend functions',
  group: 'backend-functions',
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

const newFunction = {
  projectId: idField,
  name,
  definition,
  description: text,
  runAs: { ...runAs, default: 'member' },
  accessRules: rules,
} as const;
export type NewDataFunction = ValuesOf<typeof newFunction>;

const changedFunction = {
  projectId: idField,
  functionId: idField,
  description: text,
  definition: { ...definition, optional: true },
  runAs,
  accessRules: rules,
  seenVersion: { ...seenVersion, optional: true, description: 'Required for service.' },
} as const;
export type DataFunctionChanges = ValuesOf<typeof changedFunction>;

export const dataFunctionOperations = [
  command('site/createDataFunction', {
    ...declared,
    summary: 'Makes a function of a site that does one operation on one table, with no code.',
    risky: opensAccess,
    gated: true,
    input: newFunction,
    inject: [DataFunctions],
    handle: (input, call, functions) => functions.create(call, input),
  }),
  command('site/updateDataFunction', {
    ...declared,
    summary: 'Updates a data function. The kind of its definition stays.',
    takesAway: takesAwayWhen<AccountFunction, FunctionEvent>(({ type }) => type === 'FunctionPowersTaken'),
    risky: opensAccess,
    gated: true,
    input: changedFunction,
    inject: [DataFunctions],
    handle: (input, call, functions) =>
      functions.update(call, { projectId: input.projectId, id: input.functionId }, input),
  }),
];
