import type { Clock } from '../../ports/clock.port.js';

export interface LeastPace {
  readonly bytesPerSecond: number;
  /** Longest time, in milliseconds, by which a transfer may fall behind or for which it may pause. */
  readonly behindMs: number;
}

/**
 * A transfer must move at least `bytesPerSecond` on average, but may fall behind by up to `behindMs`. A fast beginning
 * does not permit a longer pause later.
 */
export class Pace {
  private until: number;
  private ended = false;
  private restingSince: number | undefined;
  private cancel: () => void = () => undefined;

  constructor(
    private readonly clock: Clock,
    private readonly least: LeastPace,
    private readonly tooSlow: () => void,
  ) {
    this.until = clock.now() + least.behindMs;
    this.watch();
  }

  moved(bytes: number): void {
    const { bytesPerSecond, behindMs } = this.least;
    const now = this.restingSince ?? this.clock.now();
    this.until = Math.min(this.until + (bytes * 1_000) / bytesPerSecond, now + behindMs);
  }

  /** The time from this call until `goOn` does not count, because the client then waits for the service. */
  rest(): void {
    if (this.restingSince === undefined) this.restingSince = this.clock.now();
    this.cancel();
  }

  goOn(): void {
    if (this.restingSince === undefined) return;
    this.until += this.clock.now() - this.restingSince;
    this.restingSince = undefined;
    this.watch();
  }

  stop(): void {
    this.cancel();
    this.ended = true;
  }

  private watch(): void {
    if (this.ended) return;
    const left = this.until - this.clock.now();
    this.cancel = left > 0 ? this.clock.after(left, () => this.watch()) : () => undefined;
    if (left > 0) return;
    this.ended = true;
    this.tooSlow();
  }
}
