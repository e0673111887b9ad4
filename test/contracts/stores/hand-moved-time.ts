import type { Clock } from '../../../src/ports/clock.port.js';

/** A clock that the test moves. */
export class HandMovedTime implements Clock {
  time = Date.now();
  now(): number {
    return this.time;
  }
  after(): () => void {
    throw new Error('Nothing is waited for here.');
  }
}
