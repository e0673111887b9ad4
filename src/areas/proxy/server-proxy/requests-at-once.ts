import type { Clock } from '../../../ports/clock.port.js';
import { refusalOf } from '../proxy.refusals.js';

/** A named group of requests, and how many of them may be in progress. */
export interface Share {
  readonly name: string;
  readonly most: number;
}

interface Waiting {
  readonly shares: readonly Share[];
  go(): void;
}

/**
 * Maximum time that a request waits for its turn, in milliseconds, and the number of requests that may wait, as a
 * multiple of those that may be in progress.
 */
const patienceMs = 2_000;
const waitingForEach = 4;

/**
 * Limits concurrent requests, because each may use 20 MB for a minute. A request over the limit of one of its shares
 * waits briefly. Each process has limits of its own.
 */
export class RequestsAtOnce {
  private readonly counts = new Map<string, number>();
  /** Waiting requests in the order of their arrival. */
  private readonly waiting = new Set<Waiting>();

  constructor(private readonly clock: Clock) {}

  /**
   * Does the work when all shares allow it.
   * @throws Refusal proxy-busy if that takes too long, or too many requests wait
   */
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

  /**
   * Resolves when all shares allow the request. Rejects after `patienceMs`, or throws at once if too many requests of
   * the full share wait.
   */
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
