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
  /**
   * Ends the run. `error` is one line of plain text, or null for success. `note` is visible to all who may see the run.
   */
  | { readonly end: { readonly error: string | null; readonly note?: JsonObject } };

/** One attempt at a step, which is passed to `perform`. */
export interface StepInHand<State> {
  readonly run: StepRun;
  readonly state: State;
  readonly step: StepName;
  /** Number of the step in order of execution, from 1. A step that a loop repeats gets a new number each time. */
  readonly number: number;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Resolves when this process is stopping. `perform` may then throw `Stopping` instead of waiting any longer. */
  readonly stopping: Promise<void>;
  /**
   * Identifies the attempt. It is the same if the attempt is repeated after a crash. Ids of effects that must happen
   * only once are derived from it.
   */
  readonly attemptKey: string;
  /** Identifies the step. It is the same for all attempts at the step. */
  readonly stepKey: string;
  /**
   * Returns the context for a command of this attempt. If the attempt is repeated, the command id is the same. `what`
   * must differ between several commands with the same operation.
   */
  call(actor: Actor, operation: string, what?: string): OperationContext;
}

export type StepOutcome<State> =
  | {
      readonly done: true;
      readonly state: State;
      /**
       * Time, in milliseconds since 1970, before which the next step does not begin. Default: the next step begins at
       * once.
       */
      readonly resumeAt?: number;
      /** Data that is shown with the step. Must not contain secrets or private data. */
      readonly note?: JsonObject;
    }
  | {
      readonly done: false;
      /** Reason for the failure, one line of plain text. */
      readonly error: string;
      /** Whether another attempt would not help, so the run fails. Default: false. */
      readonly final?: boolean;
      /** Pause before the next attempt, in milliseconds. Default: 1 second, doubled after each further failure. */
      readonly retryAfterMs?: number;
      readonly note?: JsonObject;
    };

/**
 * A kind of run that consists of steps. The steps need not be known in advance: after each step, the run's state, which
 * is JSON, determines the next one. A step is performed at least once. If its process dies before the outcome is
 * stored, another process repeats the attempt with the same `attemptKey`. The outcome is applied once.
 */
export interface StepKind<State extends object> {
  /** Stream category of the journals, in camelCase, and prefix of the states' names in the vault, e.g. `flowRun`. */
  readonly category: string;
  /** Collection of the runs' read model, which `stepRunsProjection` creates, e.g. `flowRuns`. */
  readonly collection: string;
  /** Message topic, e.g. `flow-steps`. */
  readonly topic: string;
  /** Number of runs that a process works on concurrently. */
  readonly concurrency: number;
  readonly attempts: number;
  /**
   * Whether the last state remains in the vault when the run has ended, until it expires. States expire 30 days after
   * they are stored, or after their `resumeAt` if that is later. If false, the last state is destroyed when the run
   * ends.
   */
  readonly storesState: boolean;

  /**
   * Returns the next step in this state, or the end of the run. Must be pure, because it may be called several times
   * for one state and must return the same result each time.
   */
  next(state: State): Next;

  /**
   * Returns the reason why the run cannot continue, e.g. because its target no longer exists, as one line of plain
   * text. Called before a step or another attempt begins and before the run ends, but not when the attempt of a dead
   * process is repeated.
   */
  blockedReason?(run: StepRun): Promise<string | undefined>;

  /**
   * Performs the step. If it throws, the attempt has failed: with the message of a `Refusal`, or else with a general
   * error message. After `Stopping`, another process makes the same attempt. While a store is unavailable, it is called
   * repeatedly within the same attempt.
   */
  perform(step: StepInHand<State>): Promise<StepOutcome<State>>;
}

/** A kind of run with states of any type. For code that passes states on without reading them. */
export type AnyStepKind = StepKind<object>;

export interface StepRunRequest<State> {
  readonly workspaceId: string;
  /**
   * Id of the run. If the request may be repeated, it must be derived from the cause. A second request with the same id
   * has no effect.
   */
  readonly runId: string;
  readonly target: StepTarget;
  readonly source: StepRun['source'];
  readonly starter: StepRun['starter'];
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly eventDepth: number;
  /** Whether the starter is forbidden to delete anything. The run is then forbidden to do so too. Default: false. */
  readonly neverDeletes?: boolean | undefined;
  /** Data that is visible to everyone who may see the run. */
  readonly note?: JsonObject;
  readonly state: State;
}
