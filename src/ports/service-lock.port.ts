/** Prevents two services from working on data that only one may use. */
export abstract class ServiceLock {
  /** Locks until `release` or the end of the process, even by a crash. @throws Error if another process has the lock */
  abstract hold(): Promise<void>;

  /** Idempotent. */
  abstract release(): void;
}
