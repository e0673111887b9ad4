import { answers, asks, does } from '../../../engine/records/rule.js';
import {
  CreateFunction,
  DeleteFunction,
  GetFunction,
  ListFunctions,
  ListFunctionVersions,
  PublishFunction,
  RollBackFunction,
  SetFunctionCapabilities,
  SetFunctionIdentityMode,
  SetFunctionSecrets,
  UpdateFunction,
} from './function.operations.js';
import type { AccountFunction } from './function.record.js';
import { FunctionWork } from './function-work.api.js';
import { FunctionPowers } from './rights/function-powers.api.js';
import { functionSummary } from './shown/function-view.js';
import { FunctionVersions } from './versions/function-versions.api.js';

/** The operations on the functions of a workspace. */
export const functionHandlers = [
  does(CreateFunction, FunctionWork, (work, input, call) => work.create(call, input)),
  does(UpdateFunction, FunctionWork, (work, input, call) => work.update(call, { id: input.id }, input)),
  does(DeleteFunction, FunctionWork, (work, { id }, call) => work.delete(call, { id })),
  asks(GetFunction, FunctionWork, async (work, { id }, { workspaceId }) =>
    work.shown(await work.find(workspaceId, { id })),
  ),
  answers(ListFunctions, async (reads, _, call) => {
    const all = await reads.find<AccountFunction>(call.workspaceId, 'functions', { sort: [['createdAt', 'asc']] });
    return all.map(functionSummary);
  }),
  does(PublishFunction, FunctionVersions, (of, { id, versionId }, call) => of.publish(call, { id }, versionId)),
  does(RollBackFunction, FunctionVersions, (of, { id, versionId }, call) => of.rollBack(call, { id }, versionId)),
  asks(ListFunctionVersions, FunctionVersions, (of, { functionId }, call) => of.list(call, { id: functionId })),
  does(SetFunctionCapabilities, FunctionPowers, (of, input, call) => of.setCapabilities(call, { id: input.id }, input)),
  does(SetFunctionIdentityMode, FunctionPowers, (of, input, call) => of.setIdentityMode(call, { id: input.id }, input)),
  does(SetFunctionSecrets, FunctionPowers, (of, { id, ...sent }, call) => of.setSecrets(call, { id }, sent)),
];
