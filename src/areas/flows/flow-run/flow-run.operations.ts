import { command, query } from '../../../engine/operation/bound-operation.js';
import { newestFirst } from '../../../engine/records/newest-first.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Starters } from '../../../engine/scopes/starters.js';
import type { StepRun } from '../../../engine/step-work/step-run.record.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { flows } from '../flow/flow.record.js';
import { refuse } from '../flows.refusals.js';
import { StepFunctions } from '../step-functions.js';
import { FlowRunRecord, FlowRunSummary, flowRunRecord, flowRunSummary } from './flow-run-view.js';
import { FlowRuns } from './flow-runs.js';
import { FlowStarts } from './flow-starts.js';

const declared = { source: 'Supplementary, flows', group: 'flow-runs' } as const;
const reading = { ...declared, permission: 'functions.read', tools: 'granted' } as const;

export const flowRunOperations = [
  /**
   * An inactive flow might not have been reviewed by a second person. Therefore only members can run it, and only if
   * they may start all functions that the flow runs. A repetition with the same idempotency key returns the same run.
   */
  command('flows/runFlow', {
    ...declared,
    summary: 'Starts a run of a flow and returns at once. Use getFlowRun to follow the run.',
    permission: 'functions.run',
    tools: 'never',
    outside: ['runs code', 'sends requests', 'sends mail'],
    answers: { fields: { runId: { type: 'string' } } },
    input: {
      id: idField,
      input: { type: 'object', optional: true, description: 'Values that steps refer to as {{input.…}}.' },
    },
    inject: [FlowRuns, FlowStarts, Starters, StepFunctions],
    handle: async ({ id, input = {} }, call, runs, starts, starters, functions) => {
      const { workspaceId, actor, correlationId, causationId } = call;
      const flow = (await runs.flowOf(workspaceId, id)) ?? flows.missing();
      const starter = await starters.of(call);
      if (!flow.isActive) {
        if (starter.kind !== 'member') refuse('flow-inactive', { name: flow.name });
        (await functions.judge(call, flow.steps))();
      }
      const runId = call.newId('run');
      const source = starter.kind === 'agent' ? 'agent' : 'manual';
      const facts = { workspaceId, runId, source, starter, actor, correlationId, causationId, eventDepth: 0 } as const;
      const neverDeletes = call.caller?.neverDeletes;
      await starts.accept(flow, { ...facts, neverDeletes, input });
      return { runId };
    },
  }),
  query('flows/listFlowRuns', {
    ...reading,
    summary: 'Lists the runs of a flow, newest first.',
    answers: { list: FlowRunSummary },
    input: {
      flowId: idField,
      limit: { type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 },
      before: { ...idField, optional: true, description: 'Id of a run. Only older ones are returned.' },
    },
    inject: [Reads],
    // Runs of a deleted flow are listed until retention removes them.
    handle: async (input, { workspaceId }, reads) => {
      const { flowId: targetId, before } = input;
      const runs = await newestFirst<StepRun>(reads, workspaceId, 'flowRuns', input, {
        where: { targetId },
        by: 'position',
        belongs: (run) => run.targetId === targetId,
        missing: () => refuse('flow-run-not-found'),
      });
      if (runs.length === 0 && before === undefined && !(await reads.get(workspaceId, 'flows', targetId))) {
        return flows.missing();
      }
      return runs.map(flowRunSummary);
    },
  }),
  query('flows/getFlowRun', {
    ...reading,
    summary: 'Returns one run of a flow with its steps.',
    answers: { record: FlowRunRecord },
    input: { id: { ...idField, description: 'Id of the run.' } },
    inject: [Reads],
    handle: async ({ id }, { workspaceId }, reads) => {
      const run = await reads.get<StepRun>(workspaceId, 'flowRuns', id);
      return run === undefined ? refuse('flow-run-not-found') : flowRunRecord(run);
    },
  }),
];
