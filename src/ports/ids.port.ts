/** Random values, unguessable and unique. This is a port so that tests can fix the values. */
export abstract class Ids {
  /** Returns `<prefix>_` and 26 characters of 0-9a-z: 48 bits of time and 80 random bits. */
  abstract newId(prefix: string): string;
  /** Values sort by the millisecond in which they were created. */
  abstract uuid(): string;
  /** URL-safe, with 192 random bits. */
  abstract token(): string;
}
