/** Prevents two services from working on the same data where only one may. */
export abstract class ServiceLock {
  /** Holds the lock until `release` or the end of the process, even a crash. @throws Error when another process has it */
  abstract hold(): Promise<void>;

  /** May be repeated. */
  abstract release(): void;
}
