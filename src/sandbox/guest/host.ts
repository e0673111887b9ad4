/** The only way out of the isolate. Arguments and result must be plain values. */
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
  /** The timer counts towards the run's limit of timers. */
  readonly later: (callback: () => void, ms: number) => void;
}

export interface GuestCalls {
  readonly member: (name: string, before?: string) => (...args: readonly unknown[]) => unknown;
  readonly answered: (id: number, ok: boolean, text: string) => void;
  readonly used: () => number;
}
