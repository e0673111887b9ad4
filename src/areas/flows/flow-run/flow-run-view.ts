import type { StepRecord, StepRun } from '../../../engine/step-work/step-run.record.js';
import { inWords } from '../../../kernel/callers/starter.js';
import type { FlowRunRecord, FlowRunStep, FlowRunSummary } from './flow-run.operations.js';

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
