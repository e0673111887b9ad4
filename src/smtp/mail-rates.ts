import type { Clock } from '../ports/clock.port.js';

interface Bucket {
  left: number;
  at: number;
}

/** More than have sent lately; of those the ones that were silent the longest begin anew. */
const remembered = 50_000;

/** So many a minute for each key, by a bucket that fills evenly. In one process: several of them allow several times as many. */
export class MailRates {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly perMinute: number,
    private readonly clock: Clock,
  ) {}

  /** Takes one; false when there is none left. */
  take(key: string): boolean {
    const now = this.clock.now();
    const { left, at } = this.buckets.get(key) ?? { left: this.perMinute, at: now };
    const filled = Math.min(this.perMinute, left + (Math.max(0, now - at) * this.perMinute) / 60_000);
    const taken = filled >= 1;
    this.buckets.delete(key);
    this.buckets.set(key, { left: taken ? filled - 1 : filled, at: now });
    for (const oldest of this.buckets.keys()) {
      if (this.buckets.size <= remembered) break;
      this.buckets.delete(oldest);
    }
    return taken;
  }
}
