import { AssistantQuestions } from '../../../engine/assistant/assistant-questions.js';
import { command, query } from '../../../engine/operation/bound-operation.js';
import { anyObject } from '../../../engine/operation/schema.js';
import { newestFirst } from '../../../engine/records/newest-first.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Starters } from '../../../engine/scopes/starters.js';
import type { StepRun } from '../../../engine/step-work/step-run.record.js';
import { StepRuns } from '../../../engine/step-work/step-runs.js';
import { typed } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { mustBe } from '../../../kernel/text/must-be.js';
import { type Agent, agents } from '../../workspace/agent/agent.record.js';
import { mustShowOlderRuns } from '../../workspace/workspace/workspace-settings.api.js';
import { refuse } from '../agents.refusals.js';
import { AgentEligibility } from './agent-eligibility.js';
import { agentRunLimits as limits } from './agent-run-limits.js';
import { AgentRunDetails, AgentRunRecord, agentRunRecordOf, turnsOf } from './agent-run-view.js';
import { AgentRuns } from './agent-runs.js';
import { AgentStarts } from './agent-starts.js';

const declared = { source: 'Supplementary, agents', group: 'agent-runs', tools: 'never' } as const;

function wrongInput(value: unknown): string | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (typeof value !== 'string' && !isObject) return mustBe('a string or an object', value);
  if (value === '') return 'must not be empty';
  return JSON.stringify(value).length > limits.input ? `must be at most ${limits.input} characters of JSON` : undefined;
}

export const agentRunOperations = [
  /**
   * Agents may not call this operation: an agent that runs another agent would act with the rights of a different
   * person.
   */
  command('agents/runAgent', {
    ...declared,
    summary: 'Starts a run of an AI agent and returns at once. Use getAgentRun to follow the run.',
    permission: 'functions.run',
    callers: ['person', 'connection', 'automation', 'flow'],
    outside: ['asks a language model', 'runs code'],
    answers: { fields: { runId: { type: 'string' } } },
    input: {
      id: idField,
      input: typed<string | JsonObject>()({
        type: 'any',
        schema: { oneOf: [{ type: 'string', minLength: 1 }, anyObject] },
        wrong: wrongInput,
        description: `The agent's task: a string or an object. At most ${limits.input} characters of JSON.`,
      }),
    },
    inject: [AgentEligibility, AssistantQuestions, Starters, AgentStarts],
    handle: async ({ id, input }, call, eligibility, questions, starters, starts) => {
      const { workspaceId, actor, correlationId, causationId, eventDepth = 0 } = call;
      const agent = await eligibility.mustBeAble(workspaceId, id);
      if (!questions.configured) return refuse('assistant-not-configured');
      const runId = call.newId('agentrun');
      const starter = await starters.of(call);
      const neverDeletes = call.caller?.neverDeletes;
      const chain = { actor, correlationId, causationId, eventDepth, neverDeletes };
      await starts.accept(agent, { workspaceId, runId, source: 'manual', starter, ...chain }, input);
      return { runId };
    },
  }),
  query('agents/listAgentRuns', {
    ...declared,
    summary: 'Lists the runs of an agent, newest first.',
    permission: 'functions.read',
    answers: { list: AgentRunRecord },
    input: {
      agentId: idField,
      limit: { type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 },
      before: {
        ...idField,
        optional: true,
        description: 'Id of a run. Only older ones are returned. Refused if the Runs tab is disabled.',
      },
    },
    inject: [Reads, AgentRuns],
    // Runs of a deleted agent are listed until retention removes them, like runs of deleted functions.
    handle: async (input, { workspaceId }, reads, { collection }) => {
      const { agentId, before } = input;
      if (before !== undefined) await mustShowOlderRuns(reads, workspaceId);
      const runs = await newestFirst<StepRun>(reads, workspaceId, collection, input, {
        where: { targetId: agentId },
        by: 'position',
        belongs: (run) => run.targetId === agentId,
        missing: () => refuse('agent-run-not-found'),
      });
      if (runs.length === 0 && before === undefined && !(await reads.get<Agent>(workspaceId, 'agents', agentId))) {
        return agents.missing();
      }
      return runs.map(agentRunRecordOf);
    },
  }),
  query('agents/getAgentRun', {
    ...declared,
    summary: 'Returns what an agent did in one run, and its final answer.',
    permission: 'functions.read',
    answers: { record: AgentRunDetails },
    input: { id: idField },
    inject: [Reads, StepRuns, AgentRuns],
    handle: async ({ id }, { workspaceId }, reads, runs, kind) => {
      const run = await reads.get<StepRun>(workspaceId, kind.collection, id);
      if (run === undefined) return refuse('agent-run-not-found');
      const over = run.status === 'success' || run.status === 'error';
      const state = over ? await runs.state(kind, run) : undefined;
      return { ...agentRunRecordOf(run), turns: turnsOf(run), answer: state?.answer ?? null };
    },
  }),
];
