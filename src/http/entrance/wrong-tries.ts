import { hash } from 'node:crypto';
import { BoundedCache } from '../../kernel/bounded-cache.js';
import { KeyedMutex } from '../../kernel/keyed-mutex.js';
import type { Clock } from '../../ports/clock.port.js';

interface Tries {
  readonly wrong: number;
  readonly until: number;
}

/** Maximum number of addresses, and of valid keys, that are remembered. The least recently used are evicted. */
const remembered = 10_000;

/**
 * Stops clients from guessing keys. After too many wrong keys from one address, only keys that were valid before are
 * looked up for the rest of the window, so known callers behind the same address are not affected. Limits are per
 * process.
 */
export class WrongTries {
  private readonly tries = new BoundedCache<Tries>(remembered, () => 1);
  private readonly right = new BoundedCache<true>(remembered, () => 1);
  private readonly unknown = new KeyedMutex();

  constructor(
    /** 0 means no limit. */
    private readonly most: number,
    private readonly windowMs: number,
    private readonly clock: Clock,
    private readonly tooMany: (seconds: number) => never,
  ) {}

  /**
   * `look` returns undefined for a wrong key. `tooMany`, which must throw, is called if the limit is reached and the
   * key is not known to be valid.
   */
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

  /**
   * Looks up the keys of one address one after the other, because many guesses at once would otherwise all be looked up
   * before the first one is counted as wrong.
   */
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
    const known = this.tries.get(address);
    return known !== undefined && known.until > now ? known : { wrong: 0, until: now + this.windowMs };
  }

  private count(address: string): void {
    const { wrong, until } = this.triesOf(address);
    this.tries.set(address, { wrong: wrong + 1, until });
  }
}
