import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { newestFirst } from '../../../engine/records/record-operations.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { StepRun } from '../../../engine/step-work/step-run.record.js';
import { StepRuns } from '../../../engine/step-work/step-runs.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { type Agent, agents } from '../../workspace/agent/agent.record.js';
import { mustShowOlderRuns } from '../../workspace/workspace/workspace-settings.api.js';
import { type AgentRunDetails, type AgentRunRecord, GetAgentRun, ListAgentRuns } from './agent-run.operations.js';
import { recordOf, turnsOf } from './agent-run-view.js';
import { AgentRuns } from './agent-runs.js';

@QueryHandler(ListAgentRuns)
export class ListAgentRunsHandler {
  constructor(
    private readonly reads: Reads,
    private readonly kind: AgentRuns,
  ) {}

  /** Runs of a removed agent stay listed until retention removes them, like those of functions. */
  async execute(input: ListAgentRuns): Promise<readonly AgentRunRecord[]> {
    const { workspaceId } = callOf(input);
    const { agentId, before } = input;
    if (before !== undefined) await mustShowOlderRuns(this.reads, workspaceId);
    const runs = await newestFirst<StepRun>(this.reads, workspaceId, this.kind.collection, input, {
      where: { targetId: agentId },
      by: 'position',
      belongs: (run) => run.targetId === agentId,
      missing: () => refuse('agent-run-not-found'),
    });
    if (runs.length === 0 && !(await this.reads.get<Agent>(workspaceId, 'agents', agentId))) {
      return before === undefined ? agents.missing() : [];
    }
    return runs.map(recordOf);
  }
}

/** The model's text is read from the vault; events do not contain it. */
@QueryHandler(GetAgentRun)
export class GetAgentRunHandler {
  constructor(
    private readonly reads: Reads,
    private readonly runs: StepRuns,
    private readonly kind: AgentRuns,
  ) {}

  async execute(input: GetAgentRun): Promise<AgentRunDetails> {
    const { workspaceId } = callOf(input);
    const run = await this.reads.get<StepRun>(workspaceId, this.kind.collection, input.id);
    if (run === undefined) return refuse('agent-run-not-found');
    const over = run.status === 'success' || run.status === 'error';
    const state = over ? await this.runs.state(this.kind, run) : undefined;
    return { ...recordOf(run), turns: turnsOf(run), answer: state?.answer ?? null };
  }
}
