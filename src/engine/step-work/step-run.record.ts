import type { Actor, DomainEvent, Recorded } from '../../kernel/event.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Document } from '../../kernel/projection.js';
import type { RunSource, Starter } from '../../kernel/starter.js';
import { parseStream } from '../../kernel/stream-name.js';

/** What runs: a flow, an agent. Its name is as it was when the run was accepted. */
export interface StepTarget {
  readonly id: string;
  readonly name: string;
}

/**
 * The journal of one run of several steps, `<category>-<workspace>.<runId>`; pruned by retention, apart from the audit.
 * Whoever appends says which revision it saw, so that of two who would go on with a run one does. What a run is about
 * (its input, what its steps gave) lies sealed in the vault and never here.
 */
export type StepRunEvent =
  | DomainEvent<
      'StepRunAccepted',
      {
        readonly target: StepTarget;
        readonly source: RunSource;
        readonly starter: Starter;
        /** How many triggers led to one another before this run. */
        readonly eventDepth: number;
        /** What anybody who may see the run may know of it. */
        readonly note: JsonObject;
        /** A key that never deletes started it: nothing that it does may take something away. Left out: it may. */
        readonly neverDeletes?: true;
      }
    >
  /** `process` is the service process that does it: one that is no longer there never ends it. */
  | DomainEvent<
      'StepStarted',
      {
        /** From 1, in the order they are done. */
        readonly number: number;
        readonly id: string;
        readonly name: string;
        /** From 1; raised by a failure. A step whose process was lost is started again under the same number. */
        readonly attempt: number;
        readonly process: string;
      }
    >
  | DomainEvent<
      'StepEnded',
      {
        readonly number: number;
        readonly attempt: number;
        /** One plain line; null: it is done. */
        readonly error: string | null;
        /** After a failure, when it is tried again; after success, when the run goes on. Null: at once, or never again. */
        readonly resumeAt: string | null;
        readonly note: JsonObject;
      }
    >
  /** A process that stops in good order leaves the step undone: the same attempt is another's. */
  | DomainEvent<'StepReleased', { readonly number: number; readonly attempt: number }>
  | DomainEvent<
      'StepRunEnded',
      {
        readonly runId: string;
        readonly target: StepTarget;
        /** One plain line; null: it succeeded. */
        readonly error: string | null;
        readonly note: JsonObject;
      }
    >
  /**
   * Retention, in a stream of its own: the journals of these runs are gone. When triggers last started a run of the
   * kind, they told as well; left out where nothing had followed that yet.
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
  /** More than one: a process was lost meanwhile. */
  readonly starts: number;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly error: string | null;
}

export interface StepRecord {
  readonly number: number;
  readonly id: string;
  readonly name: string;
  /** `again`: it failed, or was left undone, and is to be tried again. */
  readonly status: 'running' | 'again' | 'success' | 'error';
  readonly attempts: readonly StepAttempt[];
  readonly note: JsonObject;
}

/** One run, as its journal tells it: the same fold serves those who go on with it and those who look. */
export interface StepRun extends Document {
  readonly targetId: string;
  readonly targetName: string;
  readonly source: RunSource;
  readonly starter: Starter;
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly eventDepth: number;
  /** As when it was accepted. */
  readonly neverDeletes?: true;
  readonly note: JsonObject;
  /** `queued`: the next step may begin; `waiting`: not before `wakeAt`. */
  readonly status: 'queued' | 'running' | 'waiting' | 'success' | 'error';
  readonly steps: readonly StepRecord[];
  /** Who does the step that is going. */
  readonly process: string | null;
  readonly wakeAt: string | null;
  readonly error: string | null;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  /** Of its first event: newer runs stand further on. */
  readonly position: number;
  /** Of its last event. */
  readonly revision: number;
  /** Revision of the start of the step that is going. */
  readonly claim: number;
  /** Revision of the step's start, or of the acceptance, under which its state lies sealed. */
  readonly state: number;
}

/** Where the runs that retention took are told. */
export const forgottenRuns = 'forgotten';

/** Total and pure; undefined as long as nothing was accepted. */
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
  const { number, error, resumeAt, note } = data;
  const isOver = error === null;
  const status = isOver ? 'success' : resumeAt === null ? 'error' : 'again';
  const steps = run.steps.map((step): StepRecord => {
    if (step.number !== number) return step;
    const attempts = step.attempts.map((one) =>
      one.number === data.attempt ? { ...one, finishedAt: metadata.at, error } : one,
    );
    return { ...step, status, attempts, note };
  });
  const next = resumeAt === null ? 'queued' : 'waiting';
  return { ...run, status: next, steps, process: null, wakeAt: resumeAt, ...(isOver ? { state: run.claim } : {}) };
}

/** Nothing was lost, so it does not count as a start. */
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

/** A run that is ended from outside ends its step with it. */
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

/** The last attempt at a step. */
export function attemptOf(step: StepRecord): StepAttempt {
  const last = step.attempts.at(-1);
  if (last === undefined) throw new Error(`Step ${step.number} was never begun.`);
  return last;
}

export const isOver = ({ status }: StepRun): boolean => status === 'success' || status === 'error';
