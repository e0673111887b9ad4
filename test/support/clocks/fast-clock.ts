import { Clock } from '../../../src/ports/clock.port.js';

const times = 10;

/** A clock that runs ten times as fast, for tests in which the service waits between attempts. */
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

/** Replaces the clock by a fast one. Engines, and processes that share work, need real time. */
export const inFastTime = process.env['TEST_ENGINES']
  ? {}
  : { replacements: [{ provide: Clock, useValue: new FastClock() }] };
