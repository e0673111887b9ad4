/** So many passwords wait to be hashed that this one would wait too long. Nothing was done. */
export class PasswordHashBusy extends Error {
  constructor(readonly retryAfterSeconds: number) {
    super('Too many passwords are waiting to be hashed.');
  }
}

/** In whose line a password waits. */
export interface PasswordLine {
  readonly siteId: string;
  /** What a visitor who signs up, a user who signs in or sets a password, or a member of the workspace asks for. */
  readonly kind: 'sign-up' | 'sign-in' | 'member';
}

/**
 * Hashes passwords, slowly by intention, beside the main thread. Only few at a time, so that log-ins leave the machine to
 * other work. Lines take turns, so that the many of one do not hold up the few of another, and sign-ups, which anybody may
 * send, never take the last place. Each line has an end.
 */
export abstract class PasswordHash {
  /** Says how it was made (algorithm, parameters, salt), so that parameters can change. @throws PasswordHashBusy */
  abstract hash(line: PasswordLine, password: string): Promise<string>;

  /**
   * Whether the hash is one of this password. Compares in constant time. False for a hash that cannot be read, after the
   * same work. @throws PasswordHashBusy
   */
  abstract matches(line: PasswordLine, password: string, hash: string | undefined): Promise<boolean>;
}
