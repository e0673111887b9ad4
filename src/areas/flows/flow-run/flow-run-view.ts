import type { StepRecord, StepRun } from '../../../engine/step-work/step-run.record.js';
import { inWords, runSources } from '../../../kernel/callers/starter.js';
import { Field } from '../../../kernel/field/field.js';
import type { JsonObject } from '../../../kernel/json/json.js';

const time = { type: 'string', format: 'date-time' } as const;

/** A step of a run with its outcome. It never contains the step's input or output. */
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
  @Field({ ...time, nullable: true, description: 'When the waiting run continues.' }) resumesAt!: string | null;
  @Field({ type: 'string', nullable: true, description: 'The condition that ended it.' }) stoppedBy!: string | null;
  @Field({ type: 'string', nullable: true, description: 'One plain line.' }) error!: string | null;
}

export class FlowRunRecord extends FlowRunSummary {
  @Field({ type: 'array', items: () => FlowRunStep, description: 'Those that were begun, in their order.' })
  steps!: readonly FlowRunStep[];
}

export function flowRunSummary(run: StepRun): FlowRunSummary {
  const { id, targetId, targetName, source, status, createdAt, finishedAt, wakeAt, note, error } = run;
  const stopped = note['stoppedBy'];
  return {
    id,
    flowId: targetId,
    flowName: targetName,
    source,
    status,
    startedBy: inWords(run.starter),
    createdAt,
    finishedAt,
    resumesAt: wakeAt,
    stoppedBy: typeof stopped === 'string' ? stopped : null,
    error,
  };
}

export function flowRunRecord(run: StepRun): FlowRunRecord {
  return { ...flowRunSummary(run), steps: run.steps.map(stepShown) };
}

function stepShown({ id, name, status, attempts, note }: StepRecord): FlowRunStep {
  return { id, name, status, attempts, error: attempts.at(-1)?.error ?? null, note };
}
