/** The only way out of the isolate. Accepts the kind of a request and plain values, and returns a plain value. */
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
  /**
   * Starts a timer for the sandbox's own code. It counts towards the run's limit of timers, like those of guest code.
   */
  readonly later: (callback: () => void, ms: number) => void;
}

export interface GuestCalls {
  /** `before` is inserted as the first argument of every call. */
  readonly member: (name: string, before?: string) => (...args: readonly unknown[]) => unknown;
  readonly answered: (id: number, ok: boolean, text: string) => void;
  /** Number of calls so far, except those of `fetch` and `secrets.verifyHmac`. */
  readonly used: () => number;
}
