const KB = 1024;
const MB = 1024 * KB;

/** Limits on data that crosses the sandbox boundary in either direction, in bytes of UTF-8 unless stated otherwise. */
export const LIMITS = {
  result: MB,
  callArguments: MB,
  /** Arguments of all calls of one run. Limited because parsing arguments blocks the thread for all runs. */
  argumentsOfRun: 64 * MB,
  callAnswer: 5 * MB,
  /** All log lines of a run. Each line also costs `logLineCost`, so that the number of empty lines is limited too. */
  log: 256 * KB,
  logLine: 8 * KB,
  logLineCost: 64,
  /** Length of the error line, in characters. */
  error: 1_000,
  callsAtOnce: 16,
  timers: 100,
  /** Shortest interval of a timer, in milliseconds. */
  shortestInterval: 4,
  /**
   * Maximum levels of nesting in a result or in arguments. Deeper JSON overflows the stack of code that walks it later.
   */
  depth: 200,
  /** Longest text, in characters, that the guest may pass to one of the helpers behind `atob` and `URL`. */
  helperText: MB,
  frameFromChild: MB + 64 * KB,
  /**
   * Size limit of a frame to the child. Its content comes from the service itself, so the limit only detects a broken
   * stream.
   */
  frameToChild: 64 * MB,
} as const;

export const LOG_DROPPED = 'The rest of the log was dropped: a run stores at most 256 KB.';
