import type { Clock } from '../../ports/clock.port.js';

export interface LeastPace {
  readonly bytesPerSecond: number;
  /** How far a transfer may fall behind, and so the longest silence. In milliseconds. */
  readonly behindMs: number;
}

/**
 * Watches the speed of a transfer. Each byte earns some time, of which `behindMs` are kept at most: so a transfer of n
 * bytes takes `behindMs` and n / `bytesPerSecond` seconds at most, and a fast beginning earns no long silence.
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

  /** The other side has to wait for the service from now on, until `goOn`. */
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
