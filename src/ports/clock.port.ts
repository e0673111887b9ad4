/** This is a port so that tests can use a fake clock. */
export abstract class Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  abstract now(): number;
  /**
   * Calls back once after `ms` milliseconds, unless the returned function is called before. Pending calls do not keep
   * the process alive.
   */
  abstract after(ms: number, callback: () => void): () => void;
}
