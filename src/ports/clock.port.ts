/** A port, so that every rule can be tested with a fake clock. */
export abstract class Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  abstract now(): number;
  /** Calls back once after `ms`; the returned function cancels it. Pending calls do not keep the process alive. */
  abstract after(ms: number, callback: () => void): () => void;
}
