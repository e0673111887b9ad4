/** Randomness, from outside the rules. Every answer is unguessable; none repeats. */
export abstract class Ids {
  /** `<prefix>_` and 26 characters of 0-9a-z: 48 bits of time, 80 random bits. */
  abstract newId(prefix: string): string;
  /** A UUID, for events and commands; later ones sort behind earlier ones, to the millisecond. */
  abstract uuid(): string;
  /** A URL-safe password-like text with 192 random bits. */
  abstract token(): string;
}
