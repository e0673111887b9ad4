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
  /** `error` is one line of plain text, or null for success. `note` is visible to all who may see the run. */
  | { readonly end: { readonly error: string | null; readonly note?: JsonObject } };

export interface StepInHand<State> {
  readonly run: StepRun;
  readonly state: State;
  readonly step: StepName;
  /** Steps are numbered in order of execution, from 1. A step that a loop repeats gets a new number each time. */
  readonly number: number;
  readonly attempt: number;
  /** Resolves when this process is stopping. `perform` may then throw `Stopping` instead of waiting any longer. */
  readonly stopping: Promise<void>;
  /**
   * Stays the same if the attempt is repeated after a crash, so that ids of effects that must happen only once can be
   * derived from it.
   */
  readonly attemptKey: string;
  /** The key is the same for all attempts at the step. */
  readonly stepKey: string;
  /**
   * The context's command id stays the same if the attempt is repeated. `what` must differ between commands with the
   * same operation.
   */
  call(actor: Actor, operation: string, what?: string): OperationContext;
}

export type StepOutcome<State> =
  | {
      readonly done: true;
      readonly state: State;
      /** In milliseconds since 1970. Default: the next step begins at once. */
      readonly resumeAt?: number;
      /** Shown with the step. Must not contain secrets or private data. */
      readonly note?: JsonObject;
    }
  | {
      readonly done: false;
      /** One line of plain text. */
      readonly error: string;
      /** Whether the run fails, because another attempt would not help. Default: false. */
      readonly final?: boolean;
      /** Default: 1 second, doubled after each further failure. */
      readonly retryAfterMs?: number;
      /**
       * Whether the step failed only because a limit was reached. The attempt then does not count towards the number that
       * the kind allows. Attempts continue for up to a week, and until that number of them was stopped by a limit. Their
       * pauses grow to an hour, and are at least `retryAfterMs`. Default: false.
       */
      readonly limited?: boolean;
      readonly note?: JsonObject;
    };

/**
 * After each step, the run's state, which is JSON, determines the next step. A step is performed at least once: if its
 * process dies before the outcome is stored, another process repeats the attempt with the same `attemptKey`.
 */
export interface StepKind<State extends object> {
  /** Stream category of the journals, in camelCase, and prefix of the states' names in the vault, e.g. `flowRun`. */
  readonly category: string;
  /** Collection of the read model that `stepRunsProjection` creates, e.g. `flowRuns`. */
  readonly collection: string;
  readonly topic: string;
  readonly concurrency: number;
  /** Attempts that a step has, without those that a limit stopped. */
  readonly attempts: number;
  /**
   * Whether the last state remains in the vault when the run has ended, until it expires: 30 days after it was stored,
   * or after its `resumeAt` if that is later.
   */
  readonly storesState: boolean;

  /** Must be pure, because it may be called several times for one state and must return the same result each time. */
  next(state: State): Next;

  /**
   * Returns the reason why the run cannot continue, as one line of plain text. Called before a step or another attempt
   * begins and before the run ends, but not when the attempt of a dead process is repeated.
   */
  blockedReason?(run: StepRun): Promise<string | undefined>;

  /**
   * If it throws, the attempt has failed: with the message of a `Refusal`, or else with a general error message. After
   * `Stopping`, another process makes the same attempt. While a store is unavailable, it is called repeatedly within
   * the same attempt.
   */
  perform(step: StepInHand<State>): Promise<StepOutcome<State>>;
}

export type AnyStepKind = StepKind<object>;

export interface StepRunRequest<State> {
  readonly workspaceId: string;
  /**
   * If the request can be repeated, the id must be derived from the cause. A second request with the same id has no
   * effect.
   */
  readonly runId: string;
  readonly target: StepTarget;
  readonly source: StepRun['source'];
  readonly starter: StepRun['starter'];
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly eventDepth: number;
  /** Whether the run must not delete anything, because its starter must not. Default: false. */
  readonly neverDeletes?: boolean | undefined;
  /** Visible to everyone who may see the run. */
  readonly note?: JsonObject;
  readonly state: State;
}
