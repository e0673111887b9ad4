import { Clock } from '../../../src/ports/clock.port.js';

/** Time that passes by itself and can be set, as the clock of a machine can: timers know nothing of that. */
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
