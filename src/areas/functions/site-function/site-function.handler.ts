import { asks, does } from '../../../engine/records/rule.js';
import { KeepFixing } from '../function/cards/keep-fixing.api.js';
import { FunctionWork, type NamedFunction } from '../function/function-work.api.js';
import { FunctionPowers } from '../function/rights/function-powers.api.js';
import { FunctionRules } from '../function/rights/function-rules.api.js';
import { FunctionVersions } from '../function/versions/function-versions.api.js';
import { CreateDataFunction, UpdateDataFunction } from './data-function.operations.js';
import { DataFunctions } from './data-functions.js';
import { GetBackendFunctionAccessRules, SetBackendFunctionAccessRules } from './function-rules.operations.js';
import {
  CreateBackendFunction,
  DeleteBackendFunction,
  GetBackendFunction,
  KeepFixingFunction,
  ListBackendFunctions,
  ListBackendFunctionVersions,
  PublishBackendFunction,
  RollBackBackendFunction,
  SetSiteFunctionCapabilities,
  SetSiteFunctionIdentityMode,
  SetSiteFunctionSecrets,
  UpdateBackendFunction,
} from './site-function.operations.js';
import { SiteFunctions } from './site-functions.js';

interface Naming {
  readonly projectId: string;
  readonly functionId: string;
}

const named = ({ projectId, functionId }: Naming): NamedFunction => ({ projectId, id: functionId });

/** The operations on the functions of sites. */
export const siteFunctionHandlers = [
  asks(ListBackendFunctions, SiteFunctions, (of, { projectId }, call) => of.list(call, projectId)),
  asks(GetBackendFunction, SiteFunctions, (of, input, call) => of.get(call, named(input))),
  does(CreateBackendFunction, SiteFunctions, (of, input, call) => of.create(call, input)),
  does(UpdateBackendFunction, SiteFunctions, (of, input, call) => of.update(call, named(input), input)),
  asks(GetBackendFunctionAccessRules, FunctionRules, async (of, { functionId }, call) => ({
    accessRules: await of.saved(call, functionId),
  })),
  does(SetBackendFunctionAccessRules, SiteFunctions, (of, input, call) => of.setRules(call, input)),
  does(CreateDataFunction, DataFunctions, (of, input, call) => of.create(call, input)),
  does(UpdateDataFunction, DataFunctions, (of, input, call) => of.update(call, named(input), input)),
  does(KeepFixingFunction, KeepFixing, (of, input, call) => of.set(call, named(input), input.on ?? true)),
  does(DeleteBackendFunction, FunctionWork, (work, input, call) => work.delete(call, named(input))),
  does(PublishBackendFunction, FunctionVersions, (of, input, call) => of.publish(call, named(input), input.versionId)),
  does(RollBackBackendFunction, FunctionVersions, (of, input, call) =>
    of.rollBack(call, named(input), input.versionId),
  ),
  asks(ListBackendFunctionVersions, FunctionVersions, (of, input, call) => of.list(call, named(input))),
  does(SetSiteFunctionCapabilities, FunctionPowers, (of, input, call) => of.setCapabilities(call, named(input), input)),
  does(SetSiteFunctionIdentityMode, FunctionPowers, (of, input, call) => of.setIdentityMode(call, named(input), input)),
  does(SetSiteFunctionSecrets, FunctionPowers, (of, input, call) => of.setSecrets(call, named(input), input)),
];
