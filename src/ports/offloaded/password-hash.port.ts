/** Too many passwords are queued. Nothing was done. */
export class PasswordHashBusy extends Error {
  constructor(readonly retryAfterSeconds: number) {
    super('Too many passwords are waiting to be hashed.');
  }
}

export interface PasswordLine {
  readonly siteId: string;
  readonly kind: 'sign-up' | 'sign-in' | 'member';
}

/**
 * Hashes passwords, deliberately slowly, off the main thread. Only a few hashes run at a time, so that sign-ins leave
 * processors for other work. Each `PasswordLine` has a queue of limited length. The queues take turns, so a long one
 * does not delay a short one. Anyone can send sign-ups, so they never use the last free slot for a hash.
 */
export abstract class PasswordHash {
  /**
   * The hash contains algorithm, parameters and salt, so that the parameters can change later.
   * @throws PasswordHashBusy
   */
  abstract hash(line: PasswordLine, password: string): Promise<string>;

  /**
   * Compares in constant time. For a missing or unreadable hash, returns false after the same amount of work.
   * @throws PasswordHashBusy
   */
  abstract matches(line: PasswordLine, password: string, hash: string | undefined): Promise<boolean>;
}
