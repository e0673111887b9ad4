import { Clock } from '../../../src/ports/clock.port.js';

interface Timer {
  at: number;
  readonly callback: () => void;
  timeout: NodeJS.Timeout;
}

/** A running clock that can be set. As on a real machine, setting it does not affect timers. */
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

  /** Lets this much time pass at once. Runs the timers that become due, in order. */
  pass(ms: number): void {
    this.ahead += ms;
    const now = performance.now();
    for (const timer of [...this.timers].sort((one, other) => one.at - other.at)) {
      // An earlier callback may have cancelled this timer.
      if (!this.timers.has(timer)) continue;
      timer.at -= ms;
      clearTimeout(timer.timeout);
      if (timer.at <= now) timer.callback();
      else timer.timeout = setTimeout(() => timer.callback(), timer.at - now).unref();
    }
  }
}
