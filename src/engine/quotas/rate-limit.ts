import { BoundedCache } from '../../kernel/bounded-cache.js';
import type { Refusal } from '../../kernel/refusals/refusal.js';
import type { Clock } from '../../ports/clock.port.js';

interface Bucket {
  readonly left: number;
  readonly at: number;
}

export interface Rate {
  /** Number of calls that may pass at once after a pause. 0 means no limit. */
  readonly burst: number;
  readonly fillMs: number;
}

/** Maximum number of buckets in memory. The least recently used ones are dropped and start again full. */
const remembered = 50_000;

/** Each process counts for itself, so several processes together allow a multiple of the rate. */
export class RateLimit {
  private readonly buckets = new BoundedCache<Bucket>(remembered, () => 1);

  constructor(
    private readonly rate: Rate,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns 0 if the bucket has at least one token; otherwise takes no tokens and returns the milliseconds until the
   * bucket has one. A `cost` above the remaining tokens leaves a debt, which must be refilled before the next call
   * passes.
   */
  consume(key: string, cost = 1): number {
    const { burst, fillMs } = this.rate;
    if (burst === 0) return 0;
    const now = this.clock.now();
    const filled = this.filled(key, now);
    const taken = filled >= 1;
    this.buckets.set(key, { left: taken ? filled - cost : filled, at: now });
    return taken ? 0 : Math.ceil(((1 - filled) * fillMs) / burst);
  }

  /** @throws Refusal with the seconds until there is a token */
  enforce(key: string, tooOften: () => Refusal): void {
    const waitMs = this.consume(key);
    if (waitMs > 0) throw tooOften().with({ retryAfterSeconds: Math.ceil(waitMs / 1_000) });
  }

  hasOne(key: string): boolean {
    return this.rate.burst === 0 || this.filled(key, this.clock.now()) >= 1;
  }

  private filled(key: string, now: number): number {
    const { burst, fillMs } = this.rate;
    const { left, at } = this.buckets.get(key) ?? { left: burst, at: now };
    return Math.min(burst, left + (Math.max(0, now - at) * burst) / fillMs);
  }
}
