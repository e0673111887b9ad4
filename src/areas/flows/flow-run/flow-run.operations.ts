import { Operation } from '../../../engine/operation/operation.js';
import { runSources } from '../../../kernel/callers/starter.js';
import { Field } from '../../../kernel/field/field.js';
import type { JsonObject } from '../../../kernel/json/json.js';

const source = 'Supplementary, flows';
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;

@Operation('flows/runFlow', {
  summary: 'Accepts a run of a flow, which goes on by itself; getFlowRun tells how far it is.',
  source,
  group: 'flow-runs',
  effect: 'command',
  permission: 'functions.run',
  tools: 'never',
  outside: ['runs code', 'sends requests', 'sends mail'],
  answers: { fields: { runId: { type: 'string' } } },
})
export class RunFlow {
  @Field(id) id!: string;
  @Field({ type: 'object', optional: true, description: 'What steps read as {{input.…}}.' }) input?: JsonObject;
}

const time = { type: 'string', format: 'date-time' } as const;

/** One step of a run with its outcome, but never its input or output. */
export class FlowRunStep {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', enum: ['running', 'again', 'success', 'error'] }) status!: string;
  @Field({ type: 'array', items: 'object', description: '{ number, starts, startedAt, finishedAt, error }' })
  attempts!: readonly object[];
  @Field({ type: 'string', nullable: true, description: 'One plain line, of the last attempt.' })
  error!: string | null;
  @Field({ type: 'object', description: 'E.g. the runId of a function, the status of a request.' })
  note!: JsonObject;
}

export class FlowRunSummary {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) flowId!: string;
  @Field({ type: 'string' }) flowName!: string;
  @Field({ type: 'string', enum: runSources })
  source!: string;
  @Field({ type: 'string', enum: ['queued', 'running', 'waiting', 'success', 'error'] }) status!: string;
  @Field({ type: 'string', description: 'In words.' }) startedBy!: string;
  @Field(time) createdAt!: string;
  @Field({ ...time, nullable: true }) finishedAt!: string | null;
  @Field({ ...time, nullable: true, description: 'When it goes on that waits.' }) resumesAt!: string | null;
  @Field({ type: 'string', nullable: true, description: 'The condition that ended it.' }) stoppedBy!: string | null;
  @Field({ type: 'string', nullable: true, description: 'One plain line.' }) error!: string | null;
}

export class FlowRunRecord extends FlowRunSummary {
  @Field({ type: 'array', items: () => FlowRunStep, description: 'Those that were begun, in their order.' })
  steps!: readonly FlowRunStep[];
}

@Operation('flows/listFlowRuns', {
  summary: 'Lists the runs of a flow, newest first.',
  source,
  group: 'flow-runs',
  effect: 'query',
  permission: 'functions.read',
  tools: 'granted',
  answers: { list: FlowRunSummary },
})
export class ListFlowRuns {
  @Field(id) flowId!: string;
  @Field({ type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 }) limit?: number;
  @Field({ ...id, optional: true, description: 'The oldest run already held: answers those before it.' })
  before?: string;
}

@Operation('flows/getFlowRun', {
  summary: 'Returns one run of a flow, step by step.',
  source,
  group: 'flow-runs',
  effect: 'query',
  permission: 'functions.read',
  tools: 'granted',
  answers: { record: FlowRunRecord },
})
export class GetFlowRun {
  @Field({ ...id, description: 'The run.' }) id!: string;
}
