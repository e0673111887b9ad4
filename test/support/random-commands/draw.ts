/** A random number generator with a seed. The same seed draws the same values on every machine. */
export class Draw {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** Returns a number from 0 to 1, exclusive. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from 0 to `count`, exclusive. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  oneOf<T>(...values: readonly [T, ...T[]]): T {
    return this.from(values);
  }

  from<T>(values: readonly T[]): T {
    const drawn = values[this.below(values.length)];
    if (drawn === undefined) throw new Error('There is nothing to draw from.');
    return drawn;
  }

  /** Returns some of the members, at least one. */
  some(members: object): object {
    const entries = Object.entries(members);
    const drawn = entries.filter(() => this.chance(0.4));
    return Object.fromEntries(drawn.length > 0 ? drawn : [this.from(entries)]);
  }

  /** Returns all of the members, or none of them. */
  perhaps(members: object): object {
    return this.chance(0.5) ? members : {};
  }

  word(): string {
    return `${this.from(consonants)}${this.from(vowels)}${this.from(consonants)}${this.from(vowels)}${this.below(1_000)}`;
  }
}

const consonants = [...'bdfgklmnprst'];
const vowels = [...'aeiou'];
