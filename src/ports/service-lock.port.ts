export abstract class ServiceLock {
  /**
   * The lock is released by `release` or when the process ends, even by a crash.
   * @throws Error if another process has the lock
   */
  abstract acquire(): Promise<void>;

  /** Idempotent. */
  abstract release(): void;
}
