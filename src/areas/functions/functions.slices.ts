import { ModuleRef } from '@nestjs/core';
import { gates } from '../../engine/approvals/change-targets.js';
import { type Slice, slice } from '../../engine/records/slice.js';
import { holdsConditions } from '../access/judging/condition-holders.api.js';
import { projectContent } from '../sites/project/project-contents.api.js';
import { StartedFiles } from '../triggers/mailhook/started-files.api.js';
import { AccessJudge } from './access-function/access-judge.api.js';
import { AccessRuns } from './access-function/access-runs.api.js';
import { AskingJudge } from './access-function/asking-judge.js';
import { AppSettings } from './app-setting/app-settings.api.js';
import { AiAuthorHandler } from './author/ai-author.handler.js';
import { FunctionAuthor } from './author/function-author.js';
import { CallableFunctions } from './capabilities/callable-functions.api.js';
import { CalledRuns } from './capabilities/called-runs.js';
import { type CapabilityMaker, CapabilityTable } from './capabilities/capability-table.api.js';
import { ConnectionsCall } from './capabilities/connections-call.js';
import { EmailAccounts } from './capabilities/email-accounts.js';
import { EmailSend } from './capabilities/email-send.js';
import { EmailSendVia } from './capabilities/email-send-via.js';
import { EnvGet } from './capabilities/env-get.js';
import { EnvSet } from './capabilities/env-set.js';
import { EventsEmit } from './capabilities/events-emit.js';
import { Fetch } from './capabilities/fetch.js';
import { FilesDelete } from './capabilities/files-delete.js';
import { FilesGetUploadUrl } from './capabilities/files-get-upload-url.js';
import { FilesGetUrl } from './capabilities/files-get-url.js';
import { FilesList } from './capabilities/files-list.js';
import { FilesRead } from './capabilities/files-read.js';
import { FilesUpload } from './capabilities/files-upload.js';
import { FunctionsRun } from './capabilities/functions-run.js';
import { MailSending } from './capabilities/mail-sending.js';
import { PowerDenials, powerDenials } from './capabilities/power-denials.js';
import { RunFiles } from './capabilities/run-files.api.js';
import { SecretsOfRuns } from './capabilities/secrets-of-runs.api.js';
import { SecretsOfSites } from './capabilities/secrets-of-sites.js';
import { SecretsVerifyHmac } from './capabilities/secrets-verify-hmac.js';
import { ServiceEmailAccounts } from './capabilities/service-email-accounts.js';
import { ServiceEmailSend } from './capabilities/service-email-send.js';
import { ServiceEmailSendVia } from './capabilities/service-email-send-via.js';
import { ServiceTools } from './capabilities/service-tools.api.js';
import { SiteMethods } from './capabilities/site-methods.api.js';
import { SitesMembers } from './capabilities/sites-members.js';
import { SitesMethodsCall } from './capabilities/sites-methods-call.js';
import { Tables } from './capabilities/tables.js';
import { VisitorTables } from './capabilities/visitor-tables.api.js';
import { WorkspaceRedactors } from './capabilities/workspace-redactors.api.js';
import { DataRuns } from './data-function/data-runs.api.js';
import { EarlierNames } from './data-function/earlier-names.js';
import { ApprovedFunctions } from './function/approved-functions.api.js';
import { FunctionVersionReader } from './function/function.api.js';
import { functionHandlers } from './function/function.handler.js';
import { deleteFunction } from './function/function.js';
import { siteFunctions } from './function/function.record.js';
import { FunctionPowers } from './function/function-powers.api.js';
import { FunctionRules } from './function/function-rules.api.js';
import { FunctionVersions } from './function/function-versions.api.js';
import { FunctionWork } from './function/function-work.api.js';
import { gatedFunctions } from './function/gated-functions.js';
import { JudgedFunctions } from './function/judged-function.api.js';
import { KeepFixing } from './function/keep-fixing.api.js';
import { DeliveredFiles } from './run/delivered-files.api.js';
import { ExposedMethods } from './run/exposed-methods.js';
import { FunctionRunner } from './run/function-runner.js';
import { FunctionRuns } from './run/function-runs.api.js';
import { FunctionTarget } from './run/function-target.js';
import { Invocations } from './run/invocations.js';
import { InvokeBackendFunctionHandler, InvokeFunctionHandler } from './run/invoke-function.handler.js';
import { GetRunLogHandler, ListRunsHandler } from './run/list-runs.handler.js';
import { GetFunctionRunHandler, ListFunctionRunsHandler } from './run/list-site-runs.handler.js';
import { OpenRuns } from './run/open-runs.js';
import { OperationsAsTools } from './run/operations-as-tools.js';
import { QueuedRuns } from './run/queued-runs.js';
import { ReplayRunHandler, SetTriggerReplayHandler } from './run/replay-run.handler.js';
import { RunAttempts } from './run/run-attempts.js';
import { RunContext } from './run/run-context.js';
import { RunEnds } from './run/run-ends.js';
import { RunInputs } from './run/run-inputs.api.js';
import { RunJournal } from './run/run-journal.js';
import { RunParams } from './run/run-params.js';
import { RunResults } from './run/run-results.js';
import { RunRetention } from './run/run-retention.js';
import { RunStarts } from './run/run-starts.js';
import { RunWork } from './run/run-work.js';
import { ShownRuns } from './run/shown-runs.js';
import { SiteAccessRuns } from './run/site-access-runs.js';
import { SiteFunctionCalls } from './run/site-function-calls.api.js';
import { SiteRunRetention } from './run/site-run-retention.api.js';
import { StartableFunctions } from './run/startable-functions.js';
import { VisitorRules } from './run/visitor-rules.api.js';
import { WebhookRules } from './run/webhook-rules.api.js';
import { DataFunctions } from './site-function/data-functions.js';
import { functionConditions } from './site-function/function-conditions.js';
import { GateChains } from './site-function/gate-chains.js';
import { siteFunctionHandlers } from './site-function/site-function.handler.js';
import { SiteFunctions } from './site-function/site-functions.js';

/** The ctx members that reach outside the sandbox. */
const capabilities = [
  FunctionsRun,
  SitesMethodsCall,
  EventsEmit,
  ConnectionsCall,
  EnvGet,
  EnvSet,
  EmailSend,
  EmailSendVia,
  EmailAccounts,
  ServiceEmailSend,
  ServiceEmailSendVia,
  ServiceEmailAccounts,
  Fetch,
  FilesRead,
  FilesList,
  FilesGetUrl,
  FilesGetUploadUrl,
  FilesUpload,
  FilesDelete,
  SecretsVerifyHmac,
];

/** Functions, their runs, and what code reaches through ctx. */
export const functionsSlices: readonly Slice[] = [
  ...functionHandlers,
  slice(siteFunctions, [
    ...siteFunctionHandlers,
    SiteFunctions,
    DataFunctions,
    GateChains,
    projectContent(siteFunctions, deleteFunction),
    holdsConditions(functionConditions),
  ]),
  FunctionRules,
  FunctionWork,
  KeepFixing,
  FunctionPowers,
  DataRuns,
  EarlierNames,
  FunctionVersions,
  gates(gatedFunctions.workspace),
  gates(gatedFunctions.project),
  FunctionVersionReader,
  ApprovedFunctions,
  JudgedFunctions,
  AiAuthorHandler,
  FunctionAuthor,
  DeliveredFiles,
  { provide: RunFiles, useClass: StartedFiles },
  SecretsOfRuns,
  SecretsOfSites,
  CalledRuns,
  WorkspaceRedactors,
  AppSettings,
  MailSending,
  InvokeFunctionHandler,
  InvokeBackendFunctionHandler,
  Invocations,
  ListRunsHandler,
  GetRunLogHandler,
  ListFunctionRunsHandler,
  GetFunctionRunHandler,
  ReplayRunHandler,
  SetTriggerReplayHandler,
  OpenRuns,
  QueuedRuns,
  RunAttempts,
  RunContext,
  RunEnds,
  RunInputs,
  RunJournal,
  RunParams,
  RunResults,
  RunRetention,
  ShownRuns,
  SiteRunRetention,
  RunStarts,
  RunWork,
  StartableFunctions,
  { provide: AccessRuns, useClass: SiteAccessRuns },
  { provide: AccessJudge, useClass: AskingJudge },
  VisitorRules,
  WebhookRules,
  { provide: SiteMethods, useClass: ExposedMethods },
  SiteFunctionCalls,
  FunctionRunner,
  FunctionTarget,
  { provide: FunctionRuns, useExisting: FunctionRunner },
  { provide: CallableFunctions, useExisting: StartableFunctions },
  ...capabilities,
  Tables,
  VisitorTables,
  SitesMembers,
  ...powerDenials,
  OperationsAsTools,
  { provide: ServiceTools, useExisting: OperationsAsTools },
  {
    // Capabilities start runs, and runs need capabilities. To break this circle, the table is filled when the first run
    // asks for it.
    provide: CapabilityTable,
    inject: [ModuleRef, PowerDenials],
    useFactory: (modules: ModuleRef, denials: PowerDenials) =>
      new CapabilityTable(
        () => [
          ...capabilities.map((maker) => modules.get<CapabilityMaker>(maker)),
          ...modules.get(Tables).makers,
          ...modules.get(SitesMembers).makers,
        ],
        (capability, scope) => denials.telling(capability, scope),
      ),
  },
];
