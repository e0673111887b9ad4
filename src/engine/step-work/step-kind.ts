import type { Actor } from '../../kernel/event.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Call } from '../operation/call.js';
import type { StepRun, StepTarget } from './step-run.record.js';

/** A step, by what the run calls it. */
export interface StepName {
  readonly id: string;
  readonly name: string;
}

export type Next =
  | { readonly step: StepName }
  /** The run is over; `error` is one plain line, or null when it succeeded. `note` may be seen by whoever sees the run. */
  | { readonly end: { readonly error: string | null; readonly note?: JsonObject } };

/** One attempt at a step, in the hands of whoever does it. */
export interface StepInHand<State> {
  readonly run: StepRun;
  readonly state: State;
  readonly step: StepName;
  /** From 1, in the order the run's steps are done: a step done twice in a loop has two numbers. */
  readonly number: number;
  /** From 1. */
  readonly attempt: number;
  /** Resolves when this process is asked to stop: what is waited for in place may be left. */
  readonly stopping: Promise<void>;
  /**
   * The same text each time this attempt is made, and another for every other attempt, step and run: for ids of what
   * must not be done twice, however often a process is lost meanwhile.
   */
  readonly attemptKey: string;
  /** The same for all attempts at the step. */
  readonly stepKey: string;
  /** A command that follows from this attempt: the same one each time. `what` tells several of one attempt apart. */
  call(actor: Actor, operation: string, what?: string): Call;
}

export type StepOutcome<State> =
  | {
      readonly done: true;
      readonly state: State;
      /** The run goes on at this time (milliseconds since 1970); left out: at once. */
      readonly resumeAt?: number;
      /** Shown with the step: never a secret, nothing private. */
      readonly note?: JsonObject;
    }
  | {
      readonly done: false;
      /** One plain line. */
      readonly error: string;
      /** Whether trying again may help; left out: it may. */
      readonly final?: boolean;
      /** Left out: 1, 2, 4 … seconds. */
      readonly retryAfterMs?: number;
      readonly note?: JsonObject;
    };

/**
 * Something whose runs are made of steps. The steps need not be known beforehand: the state, which is JSON, tells after
 * every step what comes next.
 *
 * A step is done at least once: when its process is lost, another does it again with the same keys, unless its outcome
 * was kept already. An outcome counts once.
 */
export interface StepKind<State extends object> {
  /** Category of the journals, camelCase; the vault holds the states under it: `flowRun`. */
  readonly category: string;
  /** Collection of the read model of its runs, made by `stepRunsProjection`: `flowRuns`. */
  readonly collection: string;
  /** Where its work is handed over: `flow-steps`. */
  readonly topic: string;
  /** Runs that a process has in hand at once. */
  readonly concurrency: number;
  /** Attempts at a step in all. */
  readonly attempts: number;
  /** Whether the last state is kept for 30 days after the end, to be looked at. Else it is destroyed with the end. */
  readonly keepsState: boolean;

  /** Pure: what comes in this state. Asked again for every attempt, with the same answer. */
  next(state: State): Next;

  /** Asked before each attempt: why the run cannot go on, in one plain line, because what it is a run of is gone. */
  whyNot?(run: StepRun): Promise<string | undefined>;

  /**
   * Does it. What it throws is a failed attempt, told in general words; but when a store is away it is asked again, in
   * the same attempt, until that is back.
   */
  perform(step: StepInHand<State>): Promise<StepOutcome<State>>;
}

/** Of any state, for those who hand runs on without looking into them: a kind is given its own states and no others. */
export type AnyStepKind = StepKind<object>;

/** A start of a run. */
export interface StepRunRequest<State> {
  readonly workspaceId: string;
  /** Derived from what led to it, where that may come again: a run is accepted once. */
  readonly runId: string;
  readonly target: StepTarget;
  readonly source: StepRun['source'];
  readonly starter: StepRun['starter'];
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly eventDepth: number;
  /** Whoever starts it may take nothing away, and so may the run. Left out: it may. */
  readonly neverDeletes?: boolean | undefined;
  /** What may be seen of it. */
  readonly note?: JsonObject;
  readonly state: State;
}
