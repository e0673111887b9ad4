import { gates } from '../../engine/approvals/change-targets.js';
import { job } from '../../engine/jobs/jobs.js';
import { endsWithOwners } from '../../engine/ownership/dependents.js';
import { type Slice, slice } from '../../engine/records/slice.js';
import { answersRules } from '../access/judging/access-judge.api.js';
import { listsConditions } from '../access/judging/condition-holders.api.js';
import { AppSettings } from './app-setting/app-settings.api.js';
import { authorOperations } from './author/author.operations.js';
import { FunctionAuthor } from './author/function-author.js';
import { fillsCtxTable } from './ctx/ctx-members.js';
import { CtxTable } from './ctx/ctx-table.api.js';
import { powerDenials } from './ctx/power-denials.js';
import { providesRunFiles, RunFiles } from './ctx/run-files.api.js';
import { VisitorTables } from './ctx/visitor-tables.api.js';
import { DataRuns } from './data-function/data-runs.api.js';
import { EarlierNames } from './data-function/earlier-names.js';
import { GuardedFunctions } from './function/cards/approved-functions.js';
import { gatedFunctions } from './function/cards/gated-functions.js';
import { JudgedFunctions } from './function/cards/judged-function.api.js';
import { KeepFixing } from './function/cards/keep-fixing.api.js';
import { FunctionSecretReaders, functionsReadSecrets } from './function/cards/secret-readers.js';
import { deleteFunction } from './function/function.js';
import { functionOperations } from './function/function.operations.js';
import { siteFunctions } from './function/function.record.js';
import { FunctionCommands } from './function/function-commands.api.js';
import { FunctionPowers } from './function/rights/function-powers.api.js';
import { FunctionRules } from './function/rights/function-rules.api.js';
import { FunctionVersionReader } from './function/versions/function-version-reader.api.js';
import { FunctionVersions } from './function/versions/function-versions.api.js';
import { SiteAccessRuns } from './run/access/site-access-runs.js';
import { ExposedMethods } from './run/exposed-methods.api.js';
import { FunctionRuns } from './run/function-runs.api.js';
import { FunctionTarget } from './run/function-target.js';
import { OpenRuns } from './run/open-runs.js';
import { Invocations } from './run/operations/invocations.js';
import { replayOperations } from './run/operations/replay.operations.js';
import { Replays } from './run/operations/replays.js';
import { runOperations } from './run/operations/run.operations.js';
import { ShownRuns } from './run/operations/shown-runs.js';
import { siteRunOperations } from './run/operations/site-run.operations.js';
import { SiteRuns } from './run/operations/site-runs.js';
import { RunAttempts } from './run/run-attempts.js';
import { RunContext } from './run/run-context.js';
import { RunEnds } from './run/run-ends.js';
import { RunJournal } from './run/run-journal.js';
import { RunParams } from './run/run-params.js';
import { runJob } from './run/run-requests.api.js';
import { RunStarts } from './run/run-starts.js';
import { RunWork } from './run/run-work.js';
import { StartableFunctions } from './run/startable-functions.api.js';
import { DeliveredFiles } from './run/storage/delivered-files.api.js';
import { ForgottenRuns } from './run/storage/forgotten-runs.api.js';
import { RunInputs } from './run/storage/run-inputs.api.js';
import { RunResults } from './run/storage/run-results.js';
import { RunRetention } from './run/storage/run-retention.js';
import { SiteRunRetention } from './run/storage/site-run-retention.api.js';
import { SiteFunctionCalls } from './run/visitors/site-function-calls.api.js';
import { VisitorRules } from './run/visitors/visitor-rules.api.js';
import { WebhookRules } from './run/visitors/webhook-rules.api.js';
import { SecretsOfRuns } from './run-secrets/secrets-of-runs.api.js';
import { SecretsOfSites } from './run-secrets/secrets-of-sites.js';
import { WorkspaceRedactors } from './run-secrets/workspace-redactors.api.js';
import { dataFunctionOperations } from './site-function/data-function.operations.js';
import { DataFunctions } from './site-function/data-functions.js';
import { functionConditions } from './site-function/function-conditions.js';
import { functionRuleOperations } from './site-function/function-rules.operations.js';
import { RuleCycles } from './site-function/rule-cycles.js';
import { siteFunctionOperations } from './site-function/site-function.operations.js';
import { SiteFunctions } from './site-function/site-functions.js';
import { FunctionTools } from './tool/function-tools.api.js';

export const functionsSlices: readonly Slice[] = [
  ...functionOperations,
  slice(siteFunctions, [
    ...siteFunctionOperations,
    ...dataFunctionOperations,
    ...functionRuleOperations,
    SiteFunctions,
    DataFunctions,
    RuleCycles,
    endsWithOwners(siteFunctions, deleteFunction),
    listsConditions(functionConditions),
  ]),
  FunctionRules,
  FunctionCommands,
  KeepFixing,
  FunctionPowers,
  DataRuns,
  EarlierNames,
  FunctionVersions,
  gates(gatedFunctions.workspace),
  gates(gatedFunctions.project),
  FunctionVersionReader,
  GuardedFunctions,
  FunctionSecretReaders,
  functionsReadSecrets,
  JudgedFunctions,
  ...authorOperations,
  FunctionAuthor,
  DeliveredFiles,
  providesRunFiles('webhook', DeliveredFiles),
  RunFiles,
  SecretsOfRuns,
  SecretsOfSites,
  WorkspaceRedactors,
  AppSettings,
  ...runOperations,
  Invocations,
  ...siteRunOperations,
  SiteRuns,
  ...replayOperations,
  Replays,
  OpenRuns,
  RunAttempts,
  RunContext,
  RunEnds,
  RunInputs,
  RunJournal,
  RunParams,
  RunResults,
  ForgottenRuns,
  RunRetention,
  ShownRuns,
  SiteRunRetention,
  RunStarts,
  RunWork,
  job(runJob, RunWork),
  StartableFunctions,
  SiteAccessRuns,
  answersRules(SiteAccessRuns),
  VisitorRules,
  WebhookRules,
  ExposedMethods,
  SiteFunctionCalls,
  FunctionRuns,
  FunctionTarget,
  VisitorTables,
  ...powerDenials,
  CtxTable,
  fillsCtxTable,
  FunctionTools,
];
