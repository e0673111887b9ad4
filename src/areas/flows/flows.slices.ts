import { type Provider } from '@nestjs/common';
import { gates } from '../../engine/approvals/change-targets.js';
import { flowOperations } from './flow/flow.operations.js';
import { gatedFlows } from './flow/gated-flows.js';
import { flowRunOperations } from './flow-run/flow-run.operations.js';
import { FlowRunEnding } from './flow-run/flow-run-ending.api.js';
import { FlowRuns } from './flow-run/flow-runs.js';
import { FlowStarts } from './flow-run/flow-starts.js';
import { FlowTarget } from './flow-run/flow-target.js';
import { HttpRequestStep } from './flow-run/http-request-step.js';
import { RaiseEventStep } from './flow-run/raise-event-step.js';
import { RunFunctionStep } from './flow-run/run-function-step.js';
import { SendMailStep } from './flow-run/send-mail-step.js';
import { StepFunctions } from './step-functions.js';

export const flowsSlices: readonly Provider[] = [
  ...flowOperations,
  gates(gatedFlows),
  StepFunctions,
  FlowRuns,
  FlowRunEnding,
  FlowStarts,
  FlowTarget,
  RunFunctionStep,
  RaiseEventStep,
  SendMailStep,
  HttpRequestStep,
  ...flowRunOperations,
];
