import { availableParallelism } from 'node:os';
import type { ShareOptions } from './shares.js';

export interface ChildProcessOptions {
  /** Places for runs that nothing waits for, and as many for those that others wait for. */
  readonly processes: number;
  /** Runs that may be computing at once; one that waits for an answer or a timer does not count. */
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

/** A run that has computed for this long in all leaves its place among the `parallel` to others. */
export const HOG_AFTER_MS = 500;
/** Who has nothing computing waits for runs that have computed for less than this: they may be over at any moment. */
export const QUICK_MS = 20;
/** Who has nothing computing waits this long for a place among the `parallel`, and no longer. */
export const PATIENCE_MS = 50;
export const START_WITHIN_MS = 15_000;
/** How often computing children are looked at. */
export const WATCH_EVERY_MS = 25;
/** Where the system does not tell what a process has computed. */
export const START_COST_MS = 150;

/** Of what the cores compute. */
export const computingShares = (parallel: number): ShareOptions => ({ perMs: parallel, burstMs: 500, mostMs: 5_000 });
/** Of the time of this process's one thread: the other half is for everything that is not a call. */
export const threadShares: ShareOptions = { perMs: 0.5, burstMs: 400, mostMs: 2_000 };
