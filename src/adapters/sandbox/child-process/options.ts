import { availableParallelism } from 'node:os';
import type { ShareOptions } from './fair-shares.js';

export interface ChildProcessOptions {
  /** Number of slots for runs without nested runs. There are as many again for other runs. */
  readonly processes: number;
  /** Most runs that may compute at once. A run that waits for an answer or a timer is not included. */
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

/** A run that has computed for this long in total no longer uses one of the `parallel` slots. */
export const HOG_AFTER_MS = 500;
/**
 * A workspace with nothing computing waits for runs that have computed for less than this, because they may end at any
 * moment.
 */
export const QUICK_MS = 20;
/** The longest that a workspace with nothing computing waits for one of the `parallel` slots. */
export const PATIENCE_MS = 50;
/**
 * After a request by a caller with a key, one of the `parallel` slots is withheld from visitors' runs for this long.
 */
export const RESERVED_MS = 1_000;
export const START_WITHIN_MS = 15_000;
/** Interval at which computing children are checked. */
export const WATCH_EVERY_MS = 25;
/** Assumed if the operating system does not report a process's computing time. */
export const START_COST_MS = 150;

/** Fair shares of the processor cores' time. */
export const computingShares = (parallel: number): ShareOptions => ({ perMs: parallel, burstMs: 500, mostMs: 5_000 });
/**
 * Fair shares of this process's single thread. Half of its time is distributed; the other half is for everything that
 * is not a call.
 */
export const threadShares: ShareOptions = { perMs: 0.5, burstMs: 400, mostMs: 2_000 };
