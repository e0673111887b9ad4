import type { Clock } from '../../../src/ports/clock.port.js';

/** A time that the test moves by hand. */
export class HandMovedTime implements Clock {
  time = Date.now();
  now(): number {
    return this.time;
  }
  after(): () => void {
    throw new Error('Nothing is waited for here.');
  }
}
