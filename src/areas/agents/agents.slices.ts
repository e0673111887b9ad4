import { type Provider } from '@nestjs/common';
import { AgentEligibility } from './agent-run/agent-eligibility.js';
import { AgentQuestion } from './agent-run/agent-question.js';
import { agentRunOperations } from './agent-run/agent-run.operations.js';
import { AgentRuns } from './agent-run/agent-runs.js';
import { AgentStarts } from './agent-run/agent-starts.js';
import { AgentTarget } from './agent-run/agent-target.js';
import { AgentToolCalls } from './agent-run/agent-tool-calls.js';
import { OfferedTools } from './agent-run/offered-tools.js';

export const agentsSlices: readonly Provider[] = [
  ...agentRunOperations,
  AgentQuestion,
  AgentRuns,
  AgentEligibility,
  AgentStarts,
  AgentTarget,
  AgentToolCalls,
  OfferedTools,
];
