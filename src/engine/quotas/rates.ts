import type { Clock } from '../../ports/clock.port.js';

interface Bucket {
  left: number;
  at: number;
}

export interface Rate {
  /** How many may pass at once after a pause; 0: no limit. */
  readonly burst: number;
  /** How long an empty bucket takes to fill. */
  readonly fillMs: number;
}

/** Number of keys remembered. Beyond it, those unused for longest are forgotten and start with a full bucket. */
const remembered = 50_000;

/** Limits how often each key may do something, as a token bucket. Per process: several processes allow a multiple. */
export class Rates {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly rate: Rate,
    private readonly clock: Clock,
  ) {}

  /** Takes one and answers 0; or answers after how many milliseconds one will be available. */
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
