const KB = 1024;
const MB = 1024 * KB;

/** What may cross the wall, in both directions. Sizes are bytes of UTF-8 unless they say otherwise. */
export const LIMITS = {
  result: MB,
  callArguments: MB,
  /** Of all calls of one run: everybody waits while they are read. */
  argumentsOfRun: 64 * MB,
  callAnswer: 5 * MB,
  /** All lines of a run together; each line also counts `logLineCost`, so that empty lines run out too. */
  log: 256 * KB,
  logLine: 8 * KB,
  logLineCost: 64,
  /** Characters of an error's one line. */
  error: 1_000,
  callsAtOnce: 16,
  timers: 100,
  /** Milliseconds. */
  shortestInterval: 4,
  /** Levels of nesting in a result or in arguments: deeper JSON overflows the stack of whoever walks it later. */
  depth: 200,
  /** Characters the guest may hand to one of the small helpers below `atob` and `URL`. */
  helperText: MB,
  /** One frame from the child: a result or arguments, and the few words around them. */
  frameFromChild: MB + 64 * KB,
  /** One frame to the child: params, context and source come from us, so this only catches a broken stream. */
  frameToChild: 64 * MB,
} as const;

export const LOG_DROPPED = 'The rest of the log was dropped: a run keeps 256 KB.';
