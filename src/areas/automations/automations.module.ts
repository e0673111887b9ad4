import { Module } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { AppSettings } from '../../ports/app-settings.port.js';
import { FunctionRuns } from '../../ports/function-runs.port.js';
import { Mailboxes } from '../../ports/mailboxes.port.js';
import { ScheduleListing } from '../../ports/schedule-listing.port.js';
import { SecretValues } from '../../ports/secret-values.port.js';
import { Sites } from '../../ports/sites.port.js';
import { CallableFunctions } from '../../sandbox/capabilities/callable-functions.js';
import { type CapabilityMaker, CapabilityTable } from '../../sandbox/capabilities/capability-table.js';
import { ConnectionsCall } from '../../sandbox/capabilities/connections-call.js';
import { EmailAccounts } from '../../sandbox/capabilities/email-accounts.js';
import { EmailSend } from '../../sandbox/capabilities/email-send.js';
import { EmailSendVia } from '../../sandbox/capabilities/email-send-via.js';
import { EnvGet } from '../../sandbox/capabilities/env-get.js';
import { EnvSet } from '../../sandbox/capabilities/env-set.js';
import { EventsEmit } from '../../sandbox/capabilities/events-emit.js';
import { Fetch } from '../../sandbox/capabilities/fetch.js';
import { FilesRead } from '../../sandbox/capabilities/files-read.js';
import { FunctionsRun } from '../../sandbox/capabilities/functions-run.js';
import { MailSending } from '../../sandbox/capabilities/mail-sending.js';
import { RunFiles } from '../../sandbox/capabilities/run-files.js';
import { SecretsOfRuns } from '../../sandbox/capabilities/secrets-of-runs.js';
import { SecretsVerifyHmac } from '../../sandbox/capabilities/secrets-verify-hmac.js';
import { ServiceTools } from '../../sandbox/capabilities/service-tools.js';
import { WorkspaceRedactors } from '../../sandbox/capabilities/workspace-redactors.js';
import { WorkspaceModule } from '../workspace/workspace.module.js';
import { RecordedAppSettings } from './app-setting/recorded-app-settings.js';
import { AiAuthorHandler } from './author/ai-author.handler.js';
import { FunctionAuthor } from './author/function-author.js';
import { DeleteEnvVarHandler } from './env-var/delete-env-var.handler.js';
import { envVarHandlers } from './env-var/env-var.operations.js';
import { EnvVarValues } from './env-var/env-var-values.js';
import { RecordedSecrets } from './env-var/recorded-secrets.js';
import { SetEnvVarHandler } from './env-var/set-env-var.handler.js';
import { CreateFunctionHandler } from './function/create-function.handler.js';
import { FunctionVersionReader } from './function/function.api.js';
import { functionHandlers } from './function/function.operations.js';
import { FunctionGate } from './function/function-gate.js';
import {
  SetFunctionCapabilitiesHandler,
  SetFunctionIdentityModeHandler,
  SetFunctionSecretsHandler,
} from './function/function-powers.handler.js';
import {
  ListFunctionVersionsHandler,
  PublishFunctionHandler,
  RollBackFunctionHandler,
} from './function/function-versions.handler.js';
import { UpdateFunctionHandler } from './function/update-function.handler.js';
import { CountedMails } from './mail/counted-mails.js';
import { MailJournal } from './mail/mail-journal.js';
import { MailPlaces } from './mail/mail-places.js';
import { MailRetention } from './mail/mail-retention.js';
import { WorkspaceMailboxes } from './mail/workspace-mailboxes.js';
import { CreateMailAccountHandler } from './mail-account/create-mail-account.handler.js';
import { DeleteMailAccountHandler } from './mail-account/delete-mail-account.handler.js';
import { ListMailAccountsHandler } from './mail-account/list-mail-accounts.handler.js';
import { MailAccountChanges } from './mail-account/mail-account-changes.js';
import { MailAccountSites } from './mail-account/mail-account-sites.js';
import { MailAccountView } from './mail-account/mail-account-view.js';
import { MailPasswords } from './mail-account/mail-passwords.js';
import { TestMailAccountHandler } from './mail-account/test-mail-account.handler.js';
import { UpdateMailAccountHandler } from './mail-account/update-mail-account.handler.js';
import { CreateMailhookHandler } from './mailhook/create-mailhook.handler.js';
import { InboundForgetting } from './mailhook/inbound-forgetting.js';
import { InboundJournal } from './mailhook/inbound-journal.js';
import { InboundRetention } from './mailhook/inbound-retention.js';
import { InboundSteps } from './mailhook/inbound-steps.js';
import { InboundWork } from './mailhook/inbound-work.js';
import { ListInboundEmailsHandler } from './mailhook/list-inbound-emails.handler.js';
import { ListMailhooksHandler } from './mailhook/list-mailhooks.handler.js';
import { mailhookHandlers } from './mailhook/mailhook.operations.js';
import { MailhookReplaySwitch } from './mailhook/mailhook-replay-switch.js';
import { MailhookTargets } from './mailhook/mailhook-targets.js';
import { RerunInboundEmailHandler } from './mailhook/rerun-inbound-email.handler.js';
import { StartedMailFiles } from './mailhook/started-mail-files.js';
import { UpdateMailhookHandler } from './mailhook/update-mailhook.handler.js';
import { DeliveredFiles } from './run/delivered-files.js';
import { FunctionRunner } from './run/function-runner.js';
import { FunctionTarget } from './run/function-target.js';
import { InvokeFunctionHandler } from './run/invoke-function.handler.js';
import { GetRunLogHandler, ListRunsHandler } from './run/list-runs.handler.js';
import { OpenRuns } from './run/open-runs.js';
import { OperationsAsTools } from './run/operations-as-tools.js';
import { ReplayRunHandler, SetTriggerReplayHandler } from './run/replay-run.handler.js';
import { RunInputs } from './run/run-inputs.js';
import { RunJournal } from './run/run-journal.js';
import { RunParams } from './run/run-params.js';
import { RunResults } from './run/run-results.js';
import { RunRetention } from './run/run-retention.js';
import { RunStarts } from './run/run-starts.js';
import { RunWork } from './run/run-work.js';
import { StartableFunctions } from './run/startable-functions.js';
import { ActiveSchedules } from './schedule/active-schedules.js';
import { CreateScheduleHandler } from './schedule/create-schedule.handler.js';
import { OccurrenceJournal } from './schedule/occurrence-journal.js';
import { RecordedSchedules } from './schedule/recorded-schedules.js';
import { scheduleHandlers } from './schedule/schedule.operations.js';
import { ScheduleClockwork } from './schedule/schedule-clockwork.js';
import { ScheduleReplaySwitch } from './schedule/schedule-replay-switch.js';
import { ScheduleSettling } from './schedule/schedule-settling.js';
import { SetScheduleActiveHandler } from './schedule/switch-schedule.handler.js';
import { SitesManifestHandler } from './sites/sites-manifest.handler.js';
import { WorkspaceSites } from './sites/workspace-sites.js';
import { StartedFiles } from './started-files.js';
import { CreateTargetWebhookHandler, CreateWebhookHandler } from './webhook/create-webhook.handler.js';
import { DeleteWebhookHandler } from './webhook/delete-webhook.handler.js';
import {
  ListAllWebhooksHandler,
  ListTargetTriggersHandler,
  ListTriggersHandler,
  TargetTriggers,
} from './webhook/list-webhooks.handler.js';
import { NewWebhooks } from './webhook/new-webhooks.js';
import { SetWebhookVerificationHandler } from './webhook/set-webhook-verification.handler.js';
import { SetWebhookActiveHandler } from './webhook/switch-webhook.handler.js';
import { WebhookReplaySwitch } from './webhook/webhook-replay-switch.js';
import { WebhookSecrets } from './webhook/webhook-secrets.js';
import { WebhookVerifier } from './webhook/webhook-verifier.js';

/** The ctx members that reach outside of the sandbox. */
const capabilities = [
  FunctionsRun,
  EventsEmit,
  ConnectionsCall,
  EnvGet,
  EnvSet,
  EmailSend,
  EmailSendVia,
  EmailAccounts,
  Fetch,
  FilesRead,
  SecretsVerifyHmac,
];

@Module({
  imports: [WorkspaceModule],
  providers: [
    ...functionHandlers,
    CreateFunctionHandler,
    UpdateFunctionHandler,
    PublishFunctionHandler,
    RollBackFunctionHandler,
    ListFunctionVersionsHandler,
    SetFunctionCapabilitiesHandler,
    SetFunctionIdentityModeHandler,
    SetFunctionSecretsHandler,
    FunctionGate,
    FunctionVersionReader,
    AiAuthorHandler,
    FunctionAuthor,
    SitesManifestHandler,
    // Nothing keeps sites yet; what does is named here.
    { provide: WorkspaceSites, useValue: new WorkspaceSites([]) },
    { provide: Sites, useExisting: WorkspaceSites },
    SetWebhookActiveHandler,
    CreateWebhookHandler,
    CreateTargetWebhookHandler,
    NewWebhooks,
    TargetTriggers,
    ListTargetTriggersHandler,
    DeleteWebhookHandler,
    ListTriggersHandler,
    ListAllWebhooksHandler,
    SetWebhookVerificationHandler,
    WebhookSecrets,
    WebhookVerifier,
    WebhookReplaySwitch,
    MailhookReplaySwitch,
    ScheduleReplaySwitch,
    ...scheduleHandlers,
    SetScheduleActiveHandler,
    CreateScheduleHandler,
    ActiveSchedules,
    OccurrenceJournal,
    ScheduleClockwork,
    ScheduleSettling,
    { provide: ScheduleListing, useClass: RecordedSchedules },
    ...mailhookHandlers,
    CreateMailhookHandler,
    UpdateMailhookHandler,
    ListMailhooksHandler,
    ListInboundEmailsHandler,
    RerunInboundEmailHandler,
    MailhookTargets,
    InboundForgetting,
    InboundJournal,
    InboundRetention,
    InboundSteps,
    InboundWork,
    StartedMailFiles,
    DeliveredFiles,
    { provide: RunFiles, useClass: StartedFiles },
    ...envVarHandlers,
    SetEnvVarHandler,
    DeleteEnvVarHandler,
    EnvVarValues,
    SecretsOfRuns,
    WorkspaceRedactors,
    { provide: SecretValues, useClass: RecordedSecrets },
    { provide: AppSettings, useClass: RecordedAppSettings },
    CreateMailAccountHandler,
    UpdateMailAccountHandler,
    DeleteMailAccountHandler,
    ListMailAccountsHandler,
    TestMailAccountHandler,
    MailAccountChanges,
    MailAccountSites,
    MailAccountView,
    MailPasswords,
    CountedMails,
    MailJournal,
    MailPlaces,
    MailRetention,
    MailSending,
    { provide: Mailboxes, useClass: WorkspaceMailboxes },
    InvokeFunctionHandler,
    ListRunsHandler,
    GetRunLogHandler,
    ReplayRunHandler,
    SetTriggerReplayHandler,
    OpenRuns,
    RunInputs,
    RunJournal,
    RunParams,
    RunResults,
    RunRetention,
    RunStarts,
    RunWork,
    StartableFunctions,
    FunctionRunner,
    FunctionTarget,
    { provide: FunctionRuns, useExisting: FunctionRunner },
    { provide: CallableFunctions, useExisting: StartableFunctions },
    ...capabilities,
    OperationsAsTools,
    { provide: ServiceTools, useExisting: OperationsAsTools },
    {
      // Capabilities start runs, and runs have capabilities: the table is filled when the first run asks for it.
      provide: CapabilityTable,
      inject: [ModuleRef],
      useFactory: (modules: ModuleRef) =>
        new CapabilityTable(() => capabilities.map((maker) => modules.get<CapabilityMaker>(maker))),
    },
  ],
  exports: [
    CallableFunctions,
    DeliveredFiles,
    EnvVarValues,
    FunctionRuns,
    InboundForgetting,
    InboundJournal,
    InboundRetention,
    InboundWork,
    MailAccountChanges,
    MailPasswords,
    Mailboxes,
    RunInputs,
    RunRetention,
    RunWork,
    ScheduleClockwork,
    SecretValues,
    SecretsOfRuns,
    WebhookSecrets,
    WebhookVerifier,
  ],
})
export class AutomationsModule {}
