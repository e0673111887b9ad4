import { availableParallelism } from 'node:os';

export interface ChildProcessOptions {
  /** Children for runs that nothing waits for; nested runs may take it to twice as many. */
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

/** A run that has computed for this long without a pause leaves its place among the `parallel` to others. */
export const HOG_AFTER_MS = 500;
export const START_WITHIN_MS = 15_000;
/** How often computing children are looked at. */
export const WATCH_EVERY_MS = 25;
