import type { Clock } from '../ports/clock.port.js';

interface Bucket {
  left: number;
  at: number;
}

export interface Rate {
  /** How many go through at once after a rest; 0: there is no limit. */
  readonly burst: number;
  /** How long an empty bucket takes to fill evenly. */
  readonly fillMs: number;
}

/** More than have come lately; of those the ones that were silent the longest begin anew. */
const remembered = 50_000;

/** How often each key may do something, by a bucket that fills evenly. In one process: several allow several times as many. */
export class Rates {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly rate: Rate,
    private readonly clock: Clock,
  ) {}

  /** Takes one and answers 0, or answers in how many milliseconds there will be one to take. */
  take(key: string): number {
    const { burst, fillMs } = this.rate;
    if (burst === 0) return 0;
    const now = this.clock.now();
    const { left, at } = this.buckets.get(key) ?? { left: burst, at: now };
    const filled = Math.min(burst, left + (Math.max(0, now - at) * burst) / fillMs);
    const taken = filled >= 1;
    this.buckets.delete(key);
    this.buckets.set(key, { left: taken ? filled - 1 : filled, at: now });
    for (const oldest of this.buckets.keys()) {
      if (this.buckets.size <= remembered) break;
      this.buckets.delete(oldest);
    }
    return taken ? 0 : Math.ceil(((1 - filled) * fillMs) / burst);
  }
}
