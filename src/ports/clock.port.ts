/** The current time and timers. This is a port so that tests can use a fake clock. */
export abstract class Clock {
  /** Returns the milliseconds since 1970-01-01 UTC. */
  abstract now(): number;
  /**
   * Calls back once after `ms` milliseconds. The returned function cancels the call. Pending calls do not keep the
   * process alive.
   */
  abstract after(ms: number, callback: () => void): () => void;
}
