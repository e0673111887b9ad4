import { Module } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { FunctionRuns } from '../../ports/function-runs.port.js';
import { CallableFunctions } from '../../sandbox/capabilities/callable-functions.js';
import { CapabilityTable } from '../../sandbox/capabilities/capability-table.js';
import { ConnectionsCall } from '../../sandbox/capabilities/connections-call.js';
import { EventsEmit } from '../../sandbox/capabilities/events-emit.js';
import { FunctionsRun } from '../../sandbox/capabilities/functions-run.js';
import { ServiceTools } from '../../sandbox/capabilities/service-tools.js';
import { CreateFunctionHandler } from './function/create-function.handler.js';
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
import { FunctionVersions } from './function/function-versions.js';
import { UpdateFunctionHandler } from './function/update-function.handler.js';
import { FunctionRunner } from './run/function-runner.js';
import { InvokeFunctionHandler } from './run/invoke-function.handler.js';
import { GetRunLogHandler, ListRunsHandler } from './run/list-runs.handler.js';
import { OpenRuns } from './run/open-runs.js';
import { OperationsAsTools } from './run/operations-as-tools.js';
import { RunJournal } from './run/run-journal.js';
import { RunRetention } from './run/run-retention.js';
import { RunWork } from './run/run-work.js';
import { StartableFunctions } from './run/startable-functions.js';
import { Starters } from './run/starters.js';
import { CreateWebhookHandler } from './webhook/create-webhook.handler.js';
import { DeleteWebhookHandler } from './webhook/delete-webhook.handler.js';
import { ListAllWebhooksHandler, ListTriggersHandler } from './webhook/list-webhooks.handler.js';
import { webhookHandlers } from './webhook/webhook.operations.js';

@Module({
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
    FunctionVersions,
    ...webhookHandlers,
    CreateWebhookHandler,
    DeleteWebhookHandler,
    ListTriggersHandler,
    ListAllWebhooksHandler,
    InvokeFunctionHandler,
    ListRunsHandler,
    GetRunLogHandler,
    OpenRuns,
    RunJournal,
    RunRetention,
    RunWork,
    StartableFunctions,
    Starters,
    FunctionRunner,
    { provide: FunctionRuns, useExisting: FunctionRunner },
    { provide: CallableFunctions, useExisting: StartableFunctions },
    FunctionsRun,
    EventsEmit,
    ConnectionsCall,
    OperationsAsTools,
    { provide: ServiceTools, useExisting: OperationsAsTools },
    {
      // Capabilities start runs, and runs have capabilities: the table is filled when the first run asks for it.
      provide: CapabilityTable,
      inject: [ModuleRef],
      useFactory: (modules: ModuleRef) =>
        new CapabilityTable(() => [modules.get(FunctionsRun), modules.get(EventsEmit), modules.get(ConnectionsCall)]),
    },
  ],
  exports: [FunctionRuns, RunRetention, RunWork],
})
export class AutomationsModule {}
