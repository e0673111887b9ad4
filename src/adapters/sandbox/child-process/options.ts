import { availableParallelism } from 'node:os';
import type { ShareOptions } from './fair-shares.js';

export interface ChildProcessOptions {
  /** There are this many slots for runs that no other run called, and as many again for called runs. */
  readonly processes: number;
  /**
   * Maximum number of runs of one priority class (`front` or `back`) that compute at the same time. Runs that wait for
   * a timer or for the result of a call are not counted.
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
/** A run that has computed for less than this time will probably end soon. */
export const QUICK_MS = 20;
/**
 * If runs below `QUICK_MS` use all slots, a workspace without a computing run waits at most this long before it may
 * exceed `parallel`. If a slower run uses a slot, the workspace need not wait.
 */
export const PATIENCE_MS = 50;
/**
 * After a request for a run that no visitor caused, visitors' runs leave one of the `parallel` slots free for this
 * time.
 */
export const RESERVED_MS = 1_000;
export const START_WITHIN_MS = 15_000;
export const WATCH_EVERY_MS = 25;
export const START_COST_MS = 150;

export const computingShares = (parallel: number): ShareOptions => ({ perMs: parallel, burstMs: 500, mostMs: 5_000 });
/** Half of the main thread's time is available for the guests' calls, the other half for all other work. */
export const threadShares: ShareOptions = { perMs: 0.5, burstMs: 400, mostMs: 2_000 };
