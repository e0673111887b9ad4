/** The only way out of the isolate. Accepts a kind of request and plain values, and returns plain values. */
export type Host = (kind: string, first?: unknown, second?: unknown, third?: unknown) => unknown;

export interface GuestLimits {
  readonly result: number;
  readonly callArguments: number;
  readonly logLine: number;
  readonly error: number;
  readonly callsAtOnce: number;
  readonly timers: number;
  readonly shortestInterval: number;
  readonly helperText: number;
}

export interface Timers {
  readonly fire: (id: number) => void;
  /** Starts a timer of our own, which counts in the run's limit like those of the guest code. */
  readonly later: (callback: () => void, ms: number) => void;
}

export interface GuestCalls {
  /** Returns a function that calls a member of ctx. `before` is inserted as the first argument of every call. */
  readonly member: (name: string, before?: string) => (...args: readonly unknown[]) => unknown;
  readonly answered: (id: number, ok: boolean, text: string) => void;
  /** Returns the number of counted calls made so far. */
  readonly used: () => number;
}
