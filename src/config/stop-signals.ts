/** Lets the service register the function that drains its work before the process exits. */
export interface StopSignals {
  drainBy(drain: () => Promise<void>): void;
}

/**
 * Ends the process on SIGTERM and SIGINT: at once if no drain function is registered, otherwise when the drain function
 * has settled. A second signal ends the process without waiting. Must be called before all other work at start, because
 * process 1 of a container ignores signals that have no listener.
 */
export function onStopSignals(): StopSignals {
  let drain: (() => Promise<void>) | undefined;
  const stop = (_name: NodeJS.Signals, number: number) => {
    if (drain === undefined) process.exit(128 + number);
    const draining = drain();
    drain = undefined;
    draining.then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  return {
    drainBy: (given) => {
      drain = given;
    },
  };
}
