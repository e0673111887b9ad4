import type { StepName } from './step-kind.js';
import { attemptOf, type StepRecord, type StepRun, type StepRunEvent } from './step-run.record.js';

type Started = Extract<StepRunEvent, { type: 'StepStarted' }>;
type Ended = Extract<StepRunEvent, { type: 'StepEnded' }>;

export function firstAttempt(run: StepRun, { id, name }: StepName, process: string): Started {
  return { type: 'StepStarted', data: { number: run.steps.length + 1, id, name, attempt: 1, process } };
}

export function furtherAttempt({ number, id, name }: StepRecord, attempt: number, process: string): Started {
  return { type: 'StepStarted', data: { number, id, name, attempt, process } };
}

export function stepEnded(
  run: StepRun,
  error: string | null,
  resumeAt: number | null,
  note: StepRun['note'] = {},
): Ended {
  const step = stepOf(run);
  const { number: attempt } = attemptOf(step);
  const at = resumeAt === null ? null : new Date(resumeAt).toISOString();
  return { type: 'StepEnded', data: { number: step.number, attempt, error, resumeAt: at, note } };
}

export function released(run: StepRun): StepRunEvent {
  const step = stepOf(run);
  return { type: 'StepReleased', data: { number: step.number, attempt: attemptOf(step).number } };
}

export function runEnded(run: StepRun, error: string | null, note: StepRun['note'] = {}): StepRunEvent {
  const target = { id: run.targetId, name: run.targetName };
  return { type: 'StepRunEnded', data: { runId: run.id, target, error, note } };
}

export function stepOf(run: StepRun): StepRecord {
  const step = run.steps.at(-1);
  if (step === undefined) throw new Error(`Run ${run.id} has no step yet.`);
  return step;
}
