import type { Actor } from '../../kernel/event/event.js';
import type { JsonObject } from '../../kernel/json/json.js';
import type { OperationContext } from '../operation/operation-context.js';
import type { StepRun, StepTarget } from './step-run.record.js';

export interface StepName {
  readonly id: string;
  readonly name: string;
}

export type Next =
  | { readonly step: StepName }
  /** Ends the run. `error` is one plain line, or null for success. `note` is visible to all who may see the run. */
  | { readonly end: { readonly error: string | null; readonly note?: JsonObject } };

/** One attempt at a step, as passed to `perform`. */
export interface StepInHand<State> {
  readonly run: StepRun;
  readonly state: State;
  readonly step: StepName;
  /** Number in order of execution, from 1. A step that a loop repeats gets a new number each time. */
  readonly number: number;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Resolves when this process is stopping. `perform` may then stop waiting. */
  readonly stopping: Promise<void>;
  /**
   * Identifies this attempt, also when it is repeated after a crash. Ids of effects that must not be repeated are
   * derived from it.
   */
  readonly attemptKey: string;
  /** The same for all attempts at the step. */
  readonly stepKey: string;
  /**
   * Returns the context for a command of this attempt. A repetition gets the same command id. `what` distinguishes
   * several commands.
   */
  call(actor: Actor, operation: string, what?: string): OperationContext;
}

export type StepOutcome<State> =
  | {
      readonly done: true;
      readonly state: State;
      /** Time at which the run continues, in milliseconds since 1970. Default: at once. */
      readonly resumeAt?: number;
      /** Shown with the step. Must not contain secrets or private data. */
      readonly note?: JsonObject;
    }
  | {
      readonly done: false;
      /** One line of plain text. */
      readonly error: string;
      /** Whether retrying would not help. Default: false. */
      readonly final?: boolean;
      /** Pause before the next attempt, in milliseconds. Default: 1, 2, 4 … seconds. */
      readonly retryAfterMs?: number;
      readonly note?: JsonObject;
    };

/**
 * A kind of run that consists of steps. The steps need not be known in advance: after every step, the state, which is
 * JSON, determines the next one. A step is done at least once: if its process dies, another repeats it with the same
 * keys, unless the outcome was already stored. An outcome is applied once.
 */
export interface StepKind<State extends object> {
  /** Category of the journals in camelCase, and prefix of the states in the vault: `flowRun`. */
  readonly category: string;
  /** Collection of the read model of its runs, created by `stepRunsProjection`: `flowRuns`. */
  readonly collection: string;
  /** Message topic of its work: `flow-steps`. */
  readonly topic: string;
  /** Number of runs that a process works on concurrently. */
  readonly concurrency: number;
  readonly attempts: number;
  /** Whether the last state is retained for 30 days after the end. Otherwise it is destroyed when the run ends. */
  readonly keepsState: boolean;

  /** Returns the next step in this state. Pure: it is called for every attempt and must give the same result. */
  next(state: State): Next;

  /**
   * Returns the reason why the run cannot continue (e.g. its target is gone), as one line of plain text. Called before
   * each attempt.
   */
  blockedReason?(run: StepRun): Promise<string | undefined>;

  /**
   * Does the step. An exception is treated as a failed attempt with a general message. If a store is unavailable, it is
   * called again in the same attempt until the store is back.
   */
  perform(step: StepInHand<State>): Promise<StepOutcome<State>>;
}

/** Type for code that only passes kinds on. Each kind receives only its own states. */
export type AnyStepKind = StepKind<object>;

export interface StepRunRequest<State> {
  readonly workspaceId: string;
  /** Id of the run, derived from the cause if the cause may be repeated. A run id is accepted once. */
  readonly runId: string;
  readonly target: StepTarget;
  readonly source: StepRun['source'];
  readonly starter: StepRun['starter'];
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly eventDepth: number;
  /** Whether the starter may not delete anything. If so, the run may not either. Default: false. */
  readonly neverDeletes?: boolean | undefined;
  /** Visible to everyone who may see the run. */
  readonly note?: JsonObject;
  readonly state: State;
}
