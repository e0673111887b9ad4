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
  /** From 1, in order of execution: a step repeated by a loop has two numbers. */
  readonly number: number;
  /** From 1. */
  readonly attempt: number;
  /** Resolves when this process is stopping; `perform` may then stop waiting. */
  readonly stopping: Promise<void>;
  /** Identifies this attempt, also when it is repeated after a crash. Ids of unrepeatable effects derive from it. */
  readonly attemptKey: string;
  /** The same for all attempts at the step. */
  readonly stepKey: string;
  /** The context of a command of this attempt; a repetition gives the same command id. `what` distinguishes several. */
  call(actor: Actor, operation: string, what?: string): OperationContext;
}

export type StepOutcome<State> =
  | {
      readonly done: true;
      readonly state: State;
      /** When the run continues, in milliseconds since 1970. Default: at once. */
      readonly resumeAt?: number;
      /** Shown with the step; must not contain secrets or private data. */
      readonly note?: JsonObject;
    }
  | {
      readonly done: false;
      /** One plain line. */
      readonly error: string;
      /** Retrying would not help. Default: false. */
      readonly final?: boolean;
      /** Default: 1, 2, 4 … seconds. */
      readonly retryAfterMs?: number;
      readonly note?: JsonObject;
    };

/**
 * A kind of run that consists of steps. The steps need not be known beforehand: after every step the state, which is
 * JSON, determines the next one.
 *
 * A step is done at least once: if its process dies, another repeats it with the same keys, unless the outcome was
 * already stored. An outcome counts once.
 */
export interface StepKind<State extends object> {
  /** Category of the journals, camelCase, and prefix of the states in the vault: `flowRun`. */
  readonly category: string;
  /** Collection of the read model of its runs, made by `stepRunsProjection`: `flowRuns`. */
  readonly collection: string;
  /** Message topic for its work: `flow-steps`. */
  readonly topic: string;
  /** How many runs a process works on concurrently. */
  readonly concurrency: number;
  readonly attempts: number;
  /** Whether the last state is retained for 30 days after the end. Otherwise it is destroyed when the run ends. */
  readonly keepsState: boolean;

  /** Pure: the next step in this state. Called for every attempt and must give the same result. */
  next(state: State): Next;

  /** Called before each attempt. Returns why the run cannot continue (its target is gone), as one plain line. */
  blockedReason?(run: StepRun): Promise<string | undefined>;

  /**
   * Does the step. An exception counts as a failed attempt with a general message. If a store is unavailable, it is
   * called again in the same attempt until the store is back.
   */
  perform(step: StepInHand<State>): Promise<StepOutcome<State>>;
}

/** For code that passes runs on. Each kind only ever gets its own states. */
export type AnyStepKind = StepKind<object>;

export interface StepRunRequest<State> {
  readonly workspaceId: string;
  /** Derived from the cause if that may be repeated: a run id is accepted once. */
  readonly runId: string;
  readonly target: StepTarget;
  readonly source: StepRun['source'];
  readonly starter: StepRun['starter'];
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly eventDepth: number;
  /** The starter may not delete anything, so neither may the run. Default: false. */
  readonly neverDeletes?: boolean | undefined;
  /** Visible to all who may see the run. */
  readonly note?: JsonObject;
  readonly state: State;
}
