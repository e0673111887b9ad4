import { command } from '../../../engine/operation/bound-operation.js';
import { opensAccess, takesAwayWhen } from '../../../engine/operation/operation.js';
import type { FunctionDocument, FunctionEvent } from '../function/function.record.js';
import { ChangedSiteFunction } from '../function/shown/site-function-shapes.api.js';
import { changedDataFunction, newDataFunction } from './data-function-inputs.js';
import { DataFunctions } from './data-functions.js';

const declared = {
  source: 'Sites API, Backend functions',
  group: 'backend-functions',
  permission: 'site.edit',
  within: 'project',
  tools: 'granted',
  answers: { record: ChangedSiteFunction },
} as const;
export const dataFunctionOperations = [
  command('site/createDataFunction', {
    ...declared,
    summary: 'Creates a function of a site that performs one operation on one table, without code.',
    risky: opensAccess,
    gated: true,
    input: newDataFunction,
    inject: [DataFunctions],
    handle: (input, call, functions) => functions.create(call, input),
  }),
  command('site/updateDataFunction', {
    ...declared,
    summary: 'Updates a data function. The kind of its definition cannot be changed.',
    takesAway: takesAwayWhen<FunctionDocument, FunctionEvent>(({ type }) => type === 'FunctionPowersTaken'),
    risky: opensAccess,
    gated: true,
    input: changedDataFunction,
    inject: [DataFunctions],
    handle: (input, call, functions) =>
      functions.update(call, { projectId: input.projectId, id: input.functionId }, input),
  }),
];
