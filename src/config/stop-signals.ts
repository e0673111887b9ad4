export interface StopSignals {
  drainBy(drain: () => Promise<void>): void;
}

/**
 * Ends the process on SIGTERM and SIGINT, after the promise of the registered function has settled. A second signal
 * ends the process at once. Must be called before all other work at start, because process 1 of a container ignores
 * signals that have no listener.
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
