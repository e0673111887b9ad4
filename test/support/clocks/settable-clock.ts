import { Clock } from '../../../src/ports/clock.port.js';

/** A running clock that can be set. As on a real machine, setting it does not affect timers. */
export class SettableClock extends Clock {
  private ahead = 0;
  /** Real time at which each pending callback is due, and its timer. */
  private readonly pending = new Map<() => void, { due: number; timer: NodeJS.Timeout }>();

  override now(): number {
    return Date.now() + this.ahead;
  }

  override after(ms: number, callback: () => void): () => void {
    const run = () => {
      cancel();
      callback();
    };
    const cancel = () => {
      clearTimeout(this.pending.get(run)?.timer);
      this.pending.delete(run);
    };
    this.pending.set(run, { due: Date.now() + ms, timer: setTimeout(run, ms).unref() });
    return cancel;
  }

  set(time: number): void {
    this.ahead = time - Date.now();
  }

  /** Lets time pass twenty times as fast while the work goes on, for pauses between attempts. */
  async hasten<T>(work: () => Promise<T>): Promise<T> {
    const quick = setInterval(() => this.pass(200), 10);
    try {
      return await work();
    } finally {
      clearInterval(quick);
    }
  }

  /** Lets this much time pass at once. Timers that become due end soon afterwards, in order. */
  pass(ms: number): void {
    this.ahead += ms;
    const inOrder = [...this.pending].sort(([, one], [, other]) => one.due - other.due);
    for (const [run, one] of inOrder) {
      clearTimeout(one.timer);
      one.due -= ms;
      one.timer = setTimeout(run, Math.max(one.due - Date.now(), 0)).unref();
    }
  }
}
