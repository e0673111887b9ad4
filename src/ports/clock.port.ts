/** Time is a port so that every rule can be tested with a made-up clock. */
export abstract class Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  abstract now(): number;
  /** Calls back once after `ms`; the returned function cancels it. A pending call never keeps the process alive. */
  abstract after(ms: number, callback: () => void): () => void;
}
