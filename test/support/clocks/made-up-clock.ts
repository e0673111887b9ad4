import { Clock } from '../../../src/ports/clock.port.js';

interface Due {
  at: number;
  readonly callback: () => void;
}

/** A clock that moves only when the test moves it. */
export class MadeUpClock extends Clock {
  private due: Due[] = [];

  constructor(private time = Date.parse('2026-01-01T00:00:00Z')) {
    super();
  }

  /** Remaining time of each pending callback, in milliseconds. */
  get waits(): readonly number[] {
    return this.due.map(({ at }) => at - this.time);
  }

  override now(): number {
    return this.time;
  }

  override after(ms: number, callback: () => void): () => void {
    const due = { at: this.time + ms, callback };
    this.due.push(due);
    return () => {
      this.due = this.due.filter((other) => other !== due);
    };
  }

  /** Moves the clock forward, and calls the callbacks that fall due, in order. */
  advance(ms: number): void {
    this.time += ms;
    const now = this.due.filter(({ at }) => at <= this.time).sort((a, b) => a.at - b.at);
    this.due = this.due.filter(({ at }) => at > this.time);
    for (const { callback } of now) callback();
  }

  /**
   * Sets the clock forward or back, as an operator would. No time passes, so pending callbacks keep their remaining
   * time.
   */
  set(time: number): void {
    const by = time - this.time;
    this.time = time;
    for (const due of this.due) due.at += by;
  }
}
