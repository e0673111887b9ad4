import { Clock } from '../../../src/ports/clock.port.js';

const times = 5;

/** Time that passes five times as fast, for what waits between attempts. */
class FastClock extends Clock {
  private readonly began = Date.now();

  override now(): number {
    return Math.floor(this.began + (Date.now() - this.began) * times);
  }

  override after(ms: number, callback: () => void): () => void {
    const timer = setTimeout(callback, ms / times);
    timer.unref();
    return () => clearTimeout(timer);
  }
}

/** Engines, and processes that share the work, keep real time. */
export const inFastTime = process.env['TEST_ENGINES']
  ? {}
  : { replacements: [{ provide: Clock, useValue: new FastClock() }] };
