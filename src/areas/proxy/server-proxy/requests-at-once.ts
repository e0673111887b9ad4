import type { Clock } from '../../../ports/clock.port.js';
import { refusalOf } from '../proxy.refusals.js';

export interface Share {
  readonly name: string;
  readonly most: number;
}

interface Waiting {
  readonly shares: readonly Share[];
  go(): void;
}

/** Maximum wait in milliseconds. */
const patienceMs = 2_000;
/** A share admits at most `most` requests at once, and at most this many times `most` may wait for it. */
const waitingForEach = 4;

/**
 * Limits the concurrent requests of this process, because each request can use 20 MB of memory for a minute. A request
 * belongs to several shares, such as its site's and its visitor's, and each share has a limit.
 */
export class RequestsAtOnce {
  private readonly counts = new Map<string, number>();
  private readonly waiting = new Set<Waiting>();

  constructor(private readonly clock: Clock) {}

  /** @throws Refusal proxy-busy if the wait takes too long or too many requests wait */
  async within<T>(shares: readonly Share[], work: () => Promise<T>): Promise<T> {
    const full = this.fullOf(shares);
    if (full === undefined) this.enter(shares);
    else await this.turn(shares, full);
    try {
      return await work();
    } finally {
      this.leave(shares);
    }
  }

  private turn(shares: readonly Share[], { name, most }: Share): Promise<void> {
    const refused = () => refusalOf('proxy-busy', { most }, { retryAfterSeconds: 1 });
    const before = [...this.waiting].filter((one) => one.shares.some((share) => share.name === name));
    if (before.length >= most * waitingForEach) throw refused();
    return new Promise<void>((resolve, reject) => {
      const callOff = this.clock.after(patienceMs, () => {
        this.waiting.delete(one);
        reject(refused());
      });
      const go = () => {
        callOff();
        this.waiting.delete(one);
        this.enter(shares);
        resolve();
      };
      const one: Waiting = { shares, go };
      this.waiting.add(one);
    });
  }

  private enter(shares: readonly Share[]): void {
    for (const { name } of shares) this.counts.set(name, this.countOf(name) + 1);
  }

  private leave(shares: readonly Share[]): void {
    for (const { name } of shares) {
      const left = this.countOf(name) - 1;
      if (left === 0) this.counts.delete(name);
      else this.counts.set(name, left);
    }
    for (const one of this.waiting) if (this.fullOf(one.shares) === undefined) one.go();
  }

  private fullOf(shares: readonly Share[]): Share | undefined {
    return shares.find(({ name, most }) => this.countOf(name) >= most);
  }

  private countOf(name: string): number {
    return this.counts.get(name) ?? 0;
  }
}
