/** The only way out of the isolate: a request kind and plain values. Returns plain values. */
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
  /** For timers of our own, which count like those of the code. */
  readonly later: (callback: () => void, ms: number) => void;
}

export interface Calls {
  /** `before`: the first argument of every call. */
  readonly member: (name: string, before?: string) => (...args: readonly unknown[]) => unknown;
  readonly answered: (id: number, ok: boolean, text: string) => void;
  /** Number of counted calls made so far. */
  readonly used: () => number;
}
