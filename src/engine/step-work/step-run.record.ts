import type { RunSource, Starter } from '../../kernel/callers/starter.js';
import type { Actor, DomainEvent, Recorded } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';
import type { JsonObject } from '../../kernel/json/json.js';
import type { Document } from '../../kernel/record/projection.js';

export interface StepTarget {
  readonly id: string;
  readonly name: string;
}

/**
 * Stream: `<category>-<workspace>.<runId>`. Every append expects the revision that was read, so only one of two
 * processes can continue a run. The run's input and the results of its steps are sealed in the vault and never in the
 * journal.
 */
export type StepRunEvent =
  | DomainEvent<
      'StepRunAccepted',
      {
        readonly target: StepTarget;
        readonly source: RunSource;
        readonly starter: Starter;
        readonly eventDepth: number;
        readonly note: JsonObject;
        /** Set if the run must not delete anything, because its starter must not. */
        readonly neverDeletes?: true;
      }
    >
  /** `process` is the name of the process that has claimed the step. If it dies, another process continues. */
  | DomainEvent<
      'StepStarted',
      {
        readonly number: number;
        readonly id: string;
        readonly name: string;
        /**
         * Attempts are numbered from 1. The number increases after a failure or a limit, but stays the same if the
         * process dies and the step is started again.
         */
        readonly attempt: number;
        readonly process: string;
      }
    >
  | DomainEvent<
      'StepEnded',
      {
        readonly number: number;
        readonly attempt: number;
        /** Null if the attempt succeeded. */
        readonly error: string | null;
        /** Null if the run continues at once (after a success) or fails (after a failure). */
        readonly resumeAt: string | null;
        readonly note: JsonObject;
        /**
         * Set if a limit that passes stopped the attempt, so it is not one of those that the kind allows. Older events
         * do not have it: their attempts count.
         */
        readonly limited?: true;
      }
    >
  /** A process that is stopping has left the step unfinished. Another process makes the same attempt. */
  | DomainEvent<'StepReleased', { readonly number: number; readonly attempt: number }>
  | DomainEvent<
      'StepRunEnded',
      {
        readonly runId: string;
        readonly target: StepTarget;
        /** Null if the run succeeded. */
        readonly error: string | null;
        readonly note: JsonObject;
      }
    >
  /**
   * Retention has removed the journals of these runs. `triggers` preserves the times at which triggers last started a
   * run, because only the journals contained them. Older events do not have `triggers`.
   */
  | DomainEvent<'StepRunsForgotten', { readonly runIds: readonly string[]; readonly triggers?: readonly LastStart[] }>;

export interface LastStart {
  readonly triggerId: string;
  readonly at: string;
}

export type RecordedStepRunEvent = Recorded<StepRunEvent>;
type Of<Type extends StepRunEvent['type']> = Extract<RecordedStepRunEvent, { type: Type }>;

export interface StepAttempt {
  readonly number: number;
  /** Number of times that the attempt was started: more than one if a process died during it. */
  readonly starts: number;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly error: string | null;
  /** Set if a limit stopped the attempt, so it is not one of those that the kind allows. */
  readonly limited?: true;
}

export interface StepRecord {
  readonly number: number;
  readonly id: string;
  readonly name: string;
  /** `again` means that the step failed or was released, and will be attempted again. */
  readonly status: 'running' | 'again' | 'success' | 'error';
  readonly attempts: readonly StepAttempt[];
  readonly note: JsonObject;
}

export interface StepRun extends Document {
  readonly targetId: string;
  readonly targetName: string;
  readonly source: RunSource;
  readonly starter: Starter;
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly eventDepth: number;
  /** Set if the run must not delete anything, because its starter must not. */
  readonly neverDeletes?: true;
  readonly note: JsonObject;
  /** `queued` means that the next step may begin, and `waiting` that it must not begin before `wakeAt`. */
  readonly status: 'queued' | 'running' | 'waiting' | 'success' | 'error';
  readonly steps: readonly StepRecord[];
  readonly process: string | null;
  readonly wakeAt: string | null;
  readonly error: string | null;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  /** Log position of the run's first event. */
  readonly position: number;
  readonly revision: number;
  /** Revision of the latest `StepStarted` event. Before the first one, revision of `StepRunAccepted`. */
  readonly claim: number;
  /**
   * The vault entry with the current state has this revision in its name. It is the `claim` of the last successful step
   * or, before that, the revision of `StepRunAccepted`.
   */
  readonly state: number;
}

export const forgottenRuns = 'forgotten';

/** Returns undefined as long as the run is not accepted. Pure, and never throws. */
export function evolveStepRun(run: StepRun | undefined, event: RecordedStepRunEvent): StepRun | undefined {
  if (event.type === 'StepRunAccepted') return accepted(event);
  if (run === undefined) return undefined;
  const { revision } = event;
  switch (event.type) {
    case 'StepStarted':
      return { ...started(run, event), revision };
    case 'StepEnded':
      return { ...stepEnded(run, event), revision };
    case 'StepReleased':
      return { ...released(run, event), revision };
    case 'StepRunEnded':
      return { ...runEnded(run, event), revision };
    case 'StepRunsForgotten':
      return run;
  }
}

function accepted({ stream, revision, position, metadata, data }: Of<'StepRunAccepted'>): StepRun {
  const { workspaceId, id } = parseStream(stream);
  const { target, source, starter, eventDepth, note, neverDeletes } = data;
  const { actor, correlationId, causationId } = metadata;
  return {
    id,
    workspaceId,
    targetId: target.id,
    targetName: target.name,
    source,
    starter,
    actor,
    correlationId,
    causationId,
    eventDepth,
    ...(neverDeletes ? { neverDeletes } : {}),
    note,
    status: 'queued',
    steps: [],
    process: null,
    wakeAt: null,
    error: null,
    createdAt: metadata.at,
    finishedAt: null,
    position,
    revision,
    claim: revision,
    state: revision,
  };
}

function started(run: StepRun, { revision, metadata, data }: Of<'StepStarted'>): StepRun {
  const { number, id, name, attempt, process } = data;
  const before = run.steps.find((step) => step.number === number);
  const known = before?.attempts.find((one) => one.number === attempt);
  const now: StepAttempt = {
    number: attempt,
    starts: (known?.starts ?? 0) + 1,
    startedAt: known?.startedAt ?? metadata.at,
    finishedAt: null,
    error: null,
  };
  const attempts = [...(before?.attempts ?? []).filter((one) => one.number !== attempt), now];
  const step: StepRecord = { number, id, name, status: 'running', attempts, note: {} };
  const steps = [...run.steps.filter((one) => one.number !== number), step];
  return { ...run, status: 'running', steps, process, wakeAt: null, claim: revision };
}

function stepEnded(run: StepRun, { metadata, data }: Of<'StepEnded'>): StepRun {
  const { number, error, resumeAt, note, limited } = data;
  const ended = { finishedAt: metadata.at, error, ...(limited ? { limited } : {}) };
  const isOver = error === null;
  const status = isOver ? 'success' : resumeAt === null ? 'error' : 'again';
  const steps = run.steps.map((step): StepRecord => {
    if (step.number !== number) return step;
    const attempts = step.attempts.map((one) => (one.number === data.attempt ? { ...one, ...ended } : one));
    return { ...step, status, attempts, note };
  });
  const next = resumeAt === null ? 'queued' : 'waiting';
  return { ...run, status: next, steps, process: null, wakeAt: resumeAt, ...(isOver ? { state: run.claim } : {}) };
}

/** The interrupted start is not counted in `starts`, because no process died during it. */
function released(run: StepRun, { data }: Of<'StepReleased'>): StepRun {
  const steps = run.steps.map((step): StepRecord => {
    if (step.number !== data.number) return step;
    const attempts = step.attempts.map((one) =>
      one.number === data.attempt ? { ...one, starts: one.starts - 1 } : one,
    );
    return { ...step, status: 'again', attempts };
  });
  return { ...run, status: 'queued', steps, process: null };
}

function runEnded(run: StepRun, { metadata, data }: Of<'StepRunEnded'>): StepRun {
  const { error, note } = data;
  const steps = run.steps.map((step): StepRecord => {
    if (step.status !== 'running' && step.status !== 'again') return step;
    const attempts = step.attempts.map((one) =>
      one.finishedAt === null ? { ...one, finishedAt: metadata.at, error } : one,
    );
    return { ...step, status: 'error', attempts };
  });
  const status = error === null ? 'success' : 'error';
  return {
    ...run,
    status,
    steps,
    process: null,
    wakeAt: null,
    error,
    finishedAt: metadata.at,
    note: { ...run.note, ...note },
  };
}

export function attemptOf(step: StepRecord): StepAttempt {
  const last = step.attempts.at(-1);
  if (last === undefined) throw new Error(`Step ${step.number} was never started.`);
  return last;
}

export const isOver = ({ status }: StepRun): boolean => status === 'success' || status === 'error';
