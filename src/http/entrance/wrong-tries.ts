import { hash } from 'node:crypto';
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
  private readonly tries = new Map<string, Tries>();
  private readonly right = new Set<string>();
  /** The latest look-up of an unknown key, by address. */
  private readonly turns = new Map<string, Promise<unknown>>();

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
    if (!this.right.has(name)) return this.judgeNew(address, name, look);
    const found = await look();
    if (found !== undefined) return found;
    this.right.delete(name);
    this.count(address);
    return undefined;
  }

  /** One after the other, so that of a thousand simultaneous guesses not all are looked up before the first is counted. */
  private async judgeNew<Found>(address: string, name: string, look: () => Promise<Found | undefined>) {
    this.mustHaveTries(address);
    const before = this.turns.get(address);
    const turn = (async () => {
      await before?.catch(() => undefined);
      this.mustHaveTries(address);
      const found = await look();
      if (found === undefined) this.count(address);
      else keep(this.right, name);
      return found;
    })();
    this.turns.set(address, turn);
    try {
      return await turn;
    } finally {
      if (this.turns.get(address) === turn) this.turns.delete(address);
    }
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
    this.tries.delete(address);
    this.tries.set(address, { wrong: wrong + 1, until });
    trim(this.tries);
  }
}

function keep(names: Set<string>, name: string): void {
  names.add(name);
  trim(names);
}

function trim(held: Map<string, unknown> | Set<string>): void {
  const [oldest] = held.keys();
  if (held.size > remembered && oldest !== undefined) held.delete(oldest);
}
