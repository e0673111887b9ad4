import { Clock } from '../../../src/ports/clock.port.js';

interface Due {
  at: number;
  readonly callback: () => void;
}

/** Time that passes when the test says so. */
export class MadeUpClock extends Clock {
  private due: Due[] = [];

  constructor(private time = Date.parse('2026-01-01T00:00:00Z')) {
    super();
  }

  /** In how many milliseconds each callback falls due that waits for its time. */
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

  /** Lets time pass; what falls due is called in its order. */
  advance(ms: number): void {
    this.time += ms;
    const now = this.due.filter(({ at }) => at <= this.time).sort((a, b) => a.at - b.at);
    this.due = this.due.filter(({ at }) => at > this.time);
    for (const { callback } of now) callback();
  }

  /** The clock is set, forward or back: no time passes, and what is under way takes as long as it would have. */
  set(time: number): void {
    const by = time - this.time;
    this.time = time;
    for (const due of this.due) due.at += by;
  }
}
