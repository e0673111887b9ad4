import { CommandHandler, QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { newestFirst } from '../../../engine/records/record-operations.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Starters } from '../../../engine/scopes/starters.js';
import type { StepRun } from '../../../engine/step-work/step-run.record.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { flows } from '../flow/flow.record.js';
import { StepFunctions } from '../step-functions.js';
import { type FlowRunRecord, type FlowRunSummary, GetFlowRun, ListFlowRuns, RunFlow } from './flow-run.operations.js';
import { flowRunRecord, flowRunSummary } from './flow-run-view.js';
import { FlowRuns } from './flow-runs.js';
import { FlowStarts } from './flow-starts.js';

/**
 * A person may try out an inactive flow if they may start everything that it starts, because nobody has vouched for it
 * yet. A repeat with the same idempotency key is the same run.
 */
@CommandHandler(RunFlow)
export class RunFlowHandler {
  constructor(
    private readonly kind: FlowRuns,
    private readonly starts: FlowStarts,
    private readonly starters: Starters,
    private readonly functions: StepFunctions,
  ) {}

  async execute(input: RunFlow): Promise<{ runId: string }> {
    const call = callOf(input);
    const { workspaceId, actor, correlationId, causationId } = call;
    const flow = (await this.kind.flowOf(workspaceId, input.id)) ?? flows.missing();
    const starter = await this.starters.of(call);
    if (!flow.isActive) {
      if (starter.kind !== 'member') refuse('flow-inactive', { name: flow.name });
      (await this.functions.judge(call, flow.steps))();
    }
    const runId = call.newId('run');
    const source = starter.kind === 'agent' ? 'agent' : 'manual';
    const facts = { workspaceId, runId, source, starter, actor, correlationId, causationId, eventDepth: 0 } as const;
    const neverDeletes = call.caller?.neverDeletes;
    await this.starts.accept(flow, { ...facts, neverDeletes, input: input.input ?? {} });
    return { runId };
  }
}

@QueryHandler(ListFlowRuns)
export class ListFlowRunsHandler {
  constructor(private readonly reads: Reads) {}

  /** Runs of a deleted flow stay listed until retention removes them. */
  async execute(input: ListFlowRuns): Promise<readonly FlowRunSummary[]> {
    const { workspaceId } = callOf(input);
    const { flowId: targetId, before } = input;
    const runs = await newestFirst<StepRun>(this.reads, workspaceId, 'flowRuns', input, {
      where: { targetId },
      by: 'position',
      belongs: (run) => run.targetId === targetId,
      missing: () => refuse('flow-run-not-found'),
    });
    if (runs.length === 0 && before === undefined && !(await this.reads.get(workspaceId, 'flows', targetId))) {
      return flows.missing();
    }
    return runs.map(flowRunSummary);
  }
}

@QueryHandler(GetFlowRun)
export class GetFlowRunHandler {
  constructor(private readonly reads: Reads) {}

  async execute(input: GetFlowRun): Promise<FlowRunRecord> {
    const run = await this.reads.get<StepRun>(callOf(input).workspaceId, 'flowRuns', input.id);
    return run === undefined ? refuse('flow-run-not-found') : flowRunRecord(run);
  }
}
