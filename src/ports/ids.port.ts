/** Randomness is a port, so that rules can be tested. Every value is unguessable and unique. */
export abstract class Ids {
  /** `<prefix>_` and 26 characters of 0-9a-z: 48 bits of time, 80 random bits. */
  abstract newId(prefix: string): string;
  /** A UUID, for events and commands. Later ones sort after earlier ones, to the millisecond. */
  abstract uuid(): string;
  /** A URL-safe token with 192 random bits. */
  abstract token(): string;
}
