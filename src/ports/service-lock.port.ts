/** Keeps two services from working on the same data where only one may. */
export abstract class ServiceLock {
  /** Held until `release` or the end of the process, however it ends. @throws Error when another process holds it */
  abstract hold(): Promise<void>;

  /** May be repeated. */
  abstract release(): void;
}
