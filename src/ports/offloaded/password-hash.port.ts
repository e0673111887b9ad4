/** Too many passwords are queued, so that this one would wait too long. Nothing was done. */
export class PasswordHashBusy extends Error {
  constructor(readonly retryAfterSeconds: number) {
    super('Too many passwords are waiting to be hashed.');
  }
}

/** The queue of a password. */
export interface PasswordLine {
  readonly siteId: string;
  /** The requester: a visitor who signs up, a user who signs in or sets a password, or a member of the workspace. */
  readonly kind: 'sign-up' | 'sign-in' | 'member';
}

/**
 * Hashes passwords, deliberately slowly, beside the main thread. Only few run at a time, so that log-ins leave
 * processors for other work. Queues take turns, so that a long one does not delay a short one. Sign-ups, which anyone
 * may send, never take the last slot. Each queue is bounded.
 */
export abstract class PasswordHash {
  /** The result contains algorithm, parameters and salt, so that parameters can change. @throws PasswordHashBusy */
  abstract hash(line: PasswordLine, password: string): Promise<string>;

  /**
   * Whether the hash is one of this password, in constant time. False for an unreadable hash, after the same amount of
   * work. @throws PasswordHashBusy
   */
  abstract matches(line: PasswordLine, password: string, hash: string | undefined): Promise<boolean>;
}
