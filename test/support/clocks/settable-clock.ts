import { Clock } from '../../../src/ports/clock.port.js';

interface Timer {
  at: number;
  readonly callback: () => void;
  timeout: NodeJS.Timeout;
}

/** A running clock that can be set, which does not affect timers, as on a machine. */
export class SettableClock extends Clock {
  private ahead = 0;
  private readonly timers = new Set<Timer>();

  override now(): number {
    return Date.now() + this.ahead;
  }

  override after(ms: number, callback: () => void): () => void {
    const timer: Timer = {
      at: performance.now() + ms,
      callback: () => {
        this.timers.delete(timer);
        callback();
      },
      timeout: setTimeout(() => timer.callback(), ms).unref(),
    };
    this.timers.add(timer);
    return () => {
      this.timers.delete(timer);
      clearTimeout(timer.timeout);
    };
  }

  set(time: number): void {
    this.ahead = time - Date.now();
  }

  /** Lets this much time pass at once. Timers that fall due meanwhile end, in order. */
  pass(ms: number): void {
    this.ahead += ms;
    const now = performance.now();
    for (const timer of [...this.timers].sort((one, other) => one.at - other.at)) {
      // An earlier one may have called it off.
      if (!this.timers.has(timer)) continue;
      timer.at -= ms;
      clearTimeout(timer.timeout);
      if (timer.at <= now) timer.callback();
      else timer.timeout = setTimeout(() => timer.callback(), timer.at - now).unref();
    }
  }
}
