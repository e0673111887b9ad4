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

interface AttemptEnd {
  /** Null, which is the default, if the attempt succeeded. */
  readonly error?: string | null;
  /** In milliseconds since 1970. Default: null. */
  readonly resumeAt?: number | null;
  readonly limited?: boolean | undefined;
  readonly note?: StepRun['note'] | undefined;
}

export function stepEnded(
  run: StepRun,
  { error = null, resumeAt = null, limited = false, note = {} }: AttemptEnd,
): Ended {
  const step = stepOf(run);
  const { number: attempt } = attemptOf(step);
  const at = resumeAt === null ? null : new Date(resumeAt).toISOString();
  const stopped = limited ? ({ limited } as const) : {};
  return { type: 'StepEnded', data: { number: step.number, attempt, error, resumeAt: at, note, ...stopped } };
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
