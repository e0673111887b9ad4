/** Lets the service register work for which a shutdown must wait. */
export interface StopSignals {
  drainBy(drain: () => Promise<void>): void;
}

/**
 * Ends the process on SIGTERM and SIGINT: at once while there is nothing to drain, otherwise after draining. A second
 * signal ends it without waiting. Must be called first, because process 1 of a container ignores signals that have no
 * listener.
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
