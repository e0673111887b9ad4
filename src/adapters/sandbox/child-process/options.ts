import { availableParallelism } from 'node:os';
import type { ShareOptions } from './fair-shares.js';

export interface ChildProcessOptions {
  /** Slots for runs that no other run has called. Called runs have as many slots again. */
  readonly processes: number;
  /**
   * Maximum number of computing runs per priority class. Runs that wait for a timer or for the result of a call do not
   * use a slot.
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
 * A workspace without a computing run may exceed `parallel`, but not while a slot is held by a run that has computed
 * for less than this time, because that run will probably end soon. It waits for at most `PATIENCE_MS`.
 */
export const QUICK_MS = 20;
export const PATIENCE_MS = 50;
/**
 * Time after the request for a run that no visitor caused, during which visitors' runs leave one of the `parallel`
 * slots free.
 */
export const RESERVED_MS = 1_000;
export const START_WITHIN_MS = 15_000;
export const WATCH_EVERY_MS = 25;
export const START_COST_MS = 150;

export const computingShares = (parallel: number): ShareOptions => ({ perMs: parallel, burstMs: 500, mostMs: 5_000 });
/** Half of the main thread's time is available for the guests' calls, the other half for all other work. */
export const threadShares: ShareOptions = { perMs: 0.5, burstMs: 400, mostMs: 2_000 };
