import { availableParallelism } from 'node:os';
import type { ShareOptions } from './fair-shares.js';

export interface ChildProcessOptions {
  /**
   * Number of process slots for runs that no other run has called. Runs that were called by others have as many slots
   * again.
   */
  readonly processes: number;
  /**
   * Maximum number of runs of a priority class that compute at the same time. Runs that wait for a timer or for the
   * result of a call do not use a slot.
   */
  readonly parallel: number;
  readonly memoryMb: number;
  readonly recycleAfterRuns: number;
  readonly idleMs: number;
  readonly maxIsolatesPerProcess: number;
}

export const DEFAULT_OPTIONS: ChildProcessOptions = {
  processes: 16,
  parallel: availableParallelism(),
  memoryMb: 128,
  recycleAfterRuns: 2_000,
  idleMs: 30_000,
  maxIsolatesPerProcess: 32,
};

/** Total computing time after which a run no longer uses one of the `parallel` slots. */
export const HOG_AFTER_MS = 500;
/**
 * Computing time below which a run may end at any moment. A workspace without a computing run waits for such runs
 * instead of exceeding `parallel`.
 */
export const QUICK_MS = 20;
/** Longest time for which a workspace without a computing run waits for one of the `parallel` slots. */
export const PATIENCE_MS = 50;
/**
 * Time after a request for a run that no visitor caused, during which one of the `parallel` slots is not given to
 * visitors' runs.
 */
export const RESERVED_MS = 1_000;
export const START_WITHIN_MS = 15_000;
/** Interval at which running children are checked. */
export const WATCH_EVERY_MS = 25;
/** Computing time that is assumed for the start of a process if the operating system does not report it. */
export const START_COST_MS = 150;

/** Options for sharing the processor cores' time. */
export const computingShares = (parallel: number): ShareOptions => ({ perMs: parallel, burstMs: 500, mostMs: 5_000 });
/**
 * Options for sharing this process's main thread. Half of its time is available for the guests' calls, the other half
 * for all other work.
 */
export const threadShares: ShareOptions = { perMs: 0.5, burstMs: 400, mostMs: 2_000 };
