import { hash } from 'node:crypto';
import { BoundedCache } from '../../kernel/bounded-cache.js';
import { KeyedMutex } from '../../kernel/keyed-mutex.js';
import type { Clock } from '../../ports/clock.port.js';

interface Tries {
  readonly wrong: number;
  readonly until: number;
}

/** How many addresses and keys are remembered; beyond it the least recently used is forgotten. */
const remembered = 10_000;

/**
 * Stops guessing of keys from one address. Beyond a number of wrong keys in a window, only keys that were valid here
 * before are looked up: others behind the same address can continue, and guesses get no information. Each process counts
 * for itself.
 */
export class WrongTries {
  private readonly tries = new BoundedCache<Tries>(remembered, () => 1);
  private readonly right = new BoundedCache<true>(remembered, () => 1);
  /** Look-ups of unknown keys, by address. */
  private readonly unknown = new KeyedMutex();

  constructor(
    /** 0: there is no limit. */
    private readonly most: number,
    private readonly windowMs: number,
    private readonly clock: Clock,
    private readonly tooMany: (seconds: number) => never,
  ) {}

  /** Answers what `look` finds; undefined counts as a wrong key. */
  async judge<Found>(address: string, key: string, look: () => Promise<Found | undefined>): Promise<Found | undefined> {
    if (this.most === 0) return look();
    const name = hash('sha256', key, 'base64url');
    if (this.right.get(name) === undefined) return this.judgeNew(address, name, look);
    const found = await look();
    if (found !== undefined) return found;
    this.right.delete(name);
    this.count(address);
    return undefined;
  }

  /** One after the other, so that of a thousand simultaneous guesses not all are looked up before the first is counted. */
  private async judgeNew<Found>(address: string, name: string, look: () => Promise<Found | undefined>) {
    this.mustHaveTries(address);
    return this.unknown.run(address, async () => {
      this.mustHaveTries(address);
      const found = await look();
      if (found === undefined) this.count(address);
      else this.right.set(name, true);
      return found;
    });
  }

  private mustHaveTries(address: string): void {
    const { wrong, until } = this.triesOf(address);
    if (wrong >= this.most) this.tooMany(Math.ceil((until - this.clock.now()) / 1_000));
  }

  private triesOf(address: string): Tries {
    const now = this.clock.now();
    const held = this.tries.get(address);
    return held !== undefined && held.until > now ? held : { wrong: 0, until: now + this.windowMs };
  }

  private count(address: string): void {
    const { wrong, until } = this.triesOf(address);
    this.tries.set(address, { wrong: wrong + 1, until });
  }
}
