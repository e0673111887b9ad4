/** Prevents two services from working on data that only one may use. */
export abstract class ServiceLock {
  /**
   * Acquires the lock. It is released by `release` or when the process ends, even by a crash.
   * @throws Error if another process has the lock
   */
  abstract acquire(): Promise<void>;

  /** Idempotent. */
  abstract release(): void;
}
