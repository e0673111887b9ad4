/** What a stop waits for, once there is something to wait for. */
export interface StopSignals {
  drainBy(drain: () => Promise<void>): void;
}

/**
 * Ends the process on SIGTERM and SIGINT: at once while there is nothing to drain, else when that is done. A second
 * signal does not wait. Called first of all, because process 1 of a container does not hear what it has no listener for.
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
