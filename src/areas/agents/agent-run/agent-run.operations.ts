import { Operation } from '../../../engine/operation/operation.js';
import { anyObject } from '../../../engine/operation/schema.js';
import { runSources } from '../../../kernel/callers/starter.js';
import { Field } from '../../../kernel/field/field.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { mustBe } from '../../../kernel/text/must-be.js';
import { agentRunLimits as limits } from './agent-run-limits.js';

const source = 'Supplementary, agents';
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;

function wrongInput(value: unknown): string | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (typeof value !== 'string' && !isObject) return mustBe('a string or an object', value);
  if (value === '') return 'must not be empty';
  return JSON.stringify(value).length > limits.input ? `must be at most ${limits.input} characters of JSON` : undefined;
}

/** An agent may not run another agent, because it would act with the rights of a different person. */
@Operation('agents/runAgent', {
  summary: 'Has an AI agent work on something, and answers at once: getAgentRun tells what became of it.',
  source,
  group: 'agent-runs',
  effect: 'command',
  permission: 'functions.run',
  callers: ['person', 'connection', 'automation', 'flow'],
  tools: 'never',
  outside: ['asks a language model', 'runs code'],
  answers: { fields: { runId: { type: 'string' } } },
})
export class RunAgent {
  @Field(id) id!: string;
  @Field({
    type: 'any',
    schema: { oneOf: [{ type: 'string', minLength: 1 }, anyObject] },
    wrong: wrongInput,
    description: `What it is to work on: a text or an object, of ${limits.input} characters of JSON at most.`,
  })
  input!: string | JsonObject;
}

export class AgentToolUse {
  @Field({ type: 'string', description: 'The operation as a tool or the id of the function; else unknown.' })
  tool!: string;
  @Field({ type: 'string', nullable: true, enum: ['ok', 'refused', 'card'], description: 'null: not done yet.' })
  outcome!: string | null;
  @Field({ type: 'string', nullable: true, description: 'The code of a refusal.' }) code!: string | null;
  @Field({ type: 'string', nullable: true, description: 'The id of a card.' }) pendingChangeId!: string | null;
}

export class AgentTurn {
  @Field({ type: 'integer' }) number!: number;
  @Field({ type: 'string', format: 'date-time' }) startedAt!: string;
  @Field({ type: 'integer', description: 'How often the model was asked: more than once after a failure.' })
  attempts!: number;
  @Field({ type: 'integer', description: 'Calls of the answer that were left out, being too many.' }) leftOut!: number;
  @Field({ type: 'array', items: () => AgentToolUse }) tools!: readonly AgentToolUse[];
}

/** Sites API, Run record, with the fields that apply to an agent. */
export class AgentRunRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) agentId!: string;
  @Field({ type: 'string' }) agentName!: string;
  @Field({ type: 'string', enum: runSources })
  source!: string;
  @Field({ type: 'string', enum: ['queued', 'running', 'success', 'error'] }) status!: string;
  @Field({ type: 'string', description: 'In words.' }) startedBy!: string;
  @Field({ type: 'string', format: 'date-time' }) startedAt!: string;
  @Field({ type: 'string', format: 'date-time', nullable: true }) finishedAt!: string | null;
  @Field({ type: 'string', nullable: true, description: 'One plain line.' }) error!: string | null;
}

export class AgentRunDetails extends AgentRunRecord {
  @Field({ type: 'array', items: () => AgentTurn }) turns!: readonly AgentTurn[];
  @Field({ type: 'string', nullable: true, description: 'What the model wrote when it was done; kept for 30 days.' })
  answer!: string | null;
}

@Operation('agents/listAgentRuns', {
  summary: 'Lists the runs of an agent, newest first.',
  source,
  group: 'agent-runs',
  effect: 'query',
  permission: 'functions.read',
  tools: 'never',
  answers: { list: AgentRunRecord },
})
export class ListAgentRuns {
  @Field(id) agentId!: string;
  @Field({ type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 }) limit?: number;
  @Field({ ...id, optional: true, description: 'The oldest run already held: answers those before it.' })
  before?: string;
}

@Operation('agents/getAgentRun', {
  summary: 'Returns what an agent did in one run, and what it wrote at the end.',
  source,
  group: 'agent-runs',
  effect: 'query',
  permission: 'functions.read',
  tools: 'never',
  answers: { record: AgentRunDetails },
})
export class GetAgentRun {
  @Field(id) id!: string;
}
