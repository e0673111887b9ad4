import type { StepRecord, StepRun } from '../../../engine/step-work/step-run.record.js';
import { inWords, runSources } from '../../../kernel/callers/starter.js';
import { Field } from '../../../kernel/field/field.js';
import type { JsonObject } from '../../../kernel/json/json.js';

const time = { type: 'string', format: 'date-time' } as const;

export class FlowRunStep {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', enum: ['running', 'again', 'success', 'error'] }) status!: string;
  @Field({
    type: 'array',
    items: 'object',
    description:
      'Each { number, starts, startedAt, finishedAt, error }. It also has `limited: true` if a limit stopped it, so that it is not one of the three attempts.',
  })
  attempts!: readonly object[];
  @Field({
    type: 'string',
    nullable: true,
    description: 'Error of the last attempt, in one line. null if it did not fail.',
  })
  error!: string | null;
  @Field({
    type: 'object',
    description: 'Facts about the step, for example the runId of a function or the status of a response.',
  })
  note!: JsonObject;
}

export class FlowRunSummary {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) flowId!: string;
  @Field({ type: 'string' }) flowName!: string;
  @Field({ type: 'string', enum: runSources })
  source!: string;
  @Field({ type: 'string', enum: ['queued', 'running', 'waiting', 'success', 'error'] }) status!: string;
  @Field({ type: 'string', description: 'Description of who or what started the run.' }) startedBy!: string;
  @Field(time) createdAt!: string;
  @Field({ ...time, nullable: true }) finishedAt!: string | null;
  @Field({
    ...time,
    nullable: true,
    description: 'Time at which a waiting run continues. null if the run is not waiting.',
  })
  resumesAt!: string | null;
  @Field({
    type: 'string',
    nullable: true,
    description: 'Id of the condition step that stopped the run. null if none did.',
  })
  stoppedBy!: string | null;
  @Field({ type: 'string', nullable: true, description: 'One line. null if the run has not failed.' }) error!:
    | string
    | null;
}

export class FlowRunRecord extends FlowRunSummary {
  @Field({ type: 'array', items: () => FlowRunStep, description: 'The steps that have begun, in order.' })
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
