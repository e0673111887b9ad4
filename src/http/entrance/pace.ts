import type { Clock } from '../../ports/clock.port.js';

export interface LeastPace {
  readonly bytesPerSecond: number;
  /** Time, in milliseconds, that a transfer may fall behind, which is also the longest silence. */
  readonly behindMs: number;
}

/**
 * Watches the speed of a transfer. Each byte earns some time, of which at most `behindMs` can be saved up. A transfer
 * of n bytes therefore takes at most `behindMs` plus n / `bytesPerSecond` seconds, and a fast beginning does not allow
 * a long silence later.
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

  /** Stops the time, because the other side has to wait for the service until `goOn` is called. */
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

  end(): void {
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
