import { Clock } from '../../../src/ports/clock.port.js';

/** A running clock that can be set. As on a machine, setting it does not affect timers. */
export class SettableClock extends Clock {
  private ahead = 0;

  override now(): number {
    return Date.now() + this.ahead;
  }

  override after(ms: number, callback: () => void): () => void {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  }

  set(time: number): void {
    this.ahead = time - Date.now();
  }
}
