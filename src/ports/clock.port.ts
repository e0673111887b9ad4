export abstract class Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  abstract now(): number;
  /**
   * Calls back once after `ms` milliseconds, unless the returned function is called earlier. Pending calls do not keep
   * the process alive.
   */
  abstract after(ms: number, callback: () => void): () => void;
}
