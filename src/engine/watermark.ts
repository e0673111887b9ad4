import { Injectable } from '@nestjs/common';
import { Clock } from '../ports/clock.port.js';

interface Waiting {
  readonly projection: string;
  readonly position: number;
  readonly settle: () => void;
}

/** Longer than any healthy projection takes; past it a read goes on, and its answer says that it may be behind. */
const patienceMs = 5_000;

/**
 * Read your own writes: whoever reads waits until the projection it reads from has taken in all that was recorded by
 * then. Writers do not wait, so projections may take in many events at once.
 */
@Injectable()
export class Watermark {
  private readonly marks = new Map<string, number>();
  private readonly late = new Set<string>();
  private waiting: Waiting[] = [];
  private recorded = -1;

  constructor(private readonly clock: Clock) {}

  /** Something was recorded up to this position: from now on reads show it. */
  appended(position: number): void {
    if (position > this.recorded) this.recorded = position;
  }

  /** Whether a projection of this process shows all that was recorded. One that is built elsewhere is not waited for. */
  isCurrent(projection: string): boolean {
    const mark = this.marks.get(projection);
    return mark === undefined || mark >= this.recorded;
  }

  /** Resolves when the projection shows all that is recorded now, or when it takes too long. */
  current(projection: string): Promise<void> {
    if (this.isCurrent(projection)) return Promise.resolve();
    return new Promise((resolve) => {
      const giveUp = this.clock.after(patienceMs, () => {
        this.late.add(projection);
        this.waiting = this.waiting.filter((waiter) => waiter.settle !== settle);
        resolve();
      });
      const settle = () => {
        giveUp();
        resolve();
      };
      this.waiting.push({ projection, position: this.recorded, settle });
    });
  }

  /** The projection has taken in the log up to this position. */
  moved(projection: string, position: number): void {
    this.marks.set(projection, position);
    if (position >= this.recorded) this.late.delete(projection);
    if (this.waiting.length === 0) return;
    const reached = (waiter: Waiting) => waiter.projection === projection && waiter.position <= position;
    const { waiting } = this;
    this.waiting = waiting.filter((waiter) => !reached(waiter));
    for (const waiter of waiting) if (reached(waiter)) waiter.settle();
  }

  /** Whether somebody waits for a projection to get on. */
  get awaited(): boolean {
    return this.waiting.length > 0;
  }

  /** Some projection has kept a reader waiting for too long, and has not caught up since. */
  get behind(): boolean {
    return this.late.size > 0;
  }

  /** Where each projection stands, for the metrics. */
  positions(): ReadonlyMap<string, number> {
    return this.marks;
  }
}
