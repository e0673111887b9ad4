import { Injectable } from '@nestjs/common';
import { refuse } from '../../kernel/refusal.js';
import { Clock } from '../../ports/clock.port.js';

const wrongAtMost = 10;
const withinMs = 5 * 60_000;
/** Addresses remembered; beyond it the one that has tried least lately is forgotten. */
const addressesAtMost = 10_000;

interface Tries {
  readonly wrong: number;
  readonly until: number;
}

/** Nobody tries key after key from one address. Each process counts for itself. */
@Injectable()
export class SignInLimit {
  private readonly tries = new Map<string, Tries>();

  constructor(private readonly clock: Clock) {}

  /** Counts as wrong until it is forgiven, so that a thousand at once are not all let through. @throws Refusal */
  mayTry(address: string): void {
    const now = this.clock.now();
    const held = this.tries.get(address);
    const { wrong, until } = held !== undefined && held.until > now ? held : { wrong: 0, until: now + withinMs };
    if (wrong >= wrongAtMost) {
      const seconds = Math.ceil((until - now) / 1_000);
      refuse('sign-in-limited', { seconds }, { retryAfterSeconds: seconds });
    }
    this.tries.delete(address);
    this.tries.set(address, { wrong: wrong + 1, until });
    const [oldest] = this.tries.keys();
    if (this.tries.size > addressesAtMost && oldest !== undefined) this.tries.delete(oldest);
  }

  /** That one was right. */
  forgive(address: string): void {
    const held = this.tries.get(address);
    if (held !== undefined) this.tries.set(address, { ...held, wrong: held.wrong - 1 });
  }
}
