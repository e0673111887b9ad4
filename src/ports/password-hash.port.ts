/** So many passwords wait to be hashed that this one would wait too long. Nothing was done. */
export class PasswordHashBusy extends Error {
  constructor(readonly retryAfterSeconds: number) {
    super('Too many passwords are waiting to be hashed.');
  }
}

/**
 * Hashes passwords, slowly by intention, beside the main thread. Only few at a time, so that log-ins leave the machine to
 * other work. Those who wait take turns by `queue` (a workspace): the many of one do not hold up the few of another.
 */
export abstract class PasswordHash {
  /** Says how it was made (algorithm, parameters, salt), so that parameters can change. @throws PasswordHashBusy */
  abstract hash(queue: string, password: string): Promise<string>;

  /**
   * Whether the hash is one of this password. Compares in constant time. False for a hash that cannot be read, after the
   * same work. @throws PasswordHashBusy
   */
  abstract matches(queue: string, password: string, hash: string | undefined): Promise<boolean>;
}
