/** The one way out of the isolate: a number or word for what is wanted, and plain values. Answers plain values. */
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
  /** One for ourselves, which counts like those of the code. */
  readonly later: (callback: () => void, ms: number) => void;
}

export interface Calls {
  /** `before` goes before the arguments of every call. */
  readonly member: (name: string, before?: string) => (...args: readonly unknown[]) => unknown;
  readonly answered: (id: number, ok: boolean, text: string) => void;
  /** How many counted calls the code has made. */
  readonly used: () => number;
}
