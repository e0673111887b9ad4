import { Injectable } from '@nestjs/common';
import { Clock } from '../ports/clock.port.js';

interface Waiting {
  readonly position: number;
  readonly settle: (reached: boolean) => void;
}

/** Longer than any healthy projection takes; past it the answer goes out and says that reads may be behind. */
const patienceMs = 5_000;

/**
 * How far the read models have come: a command is answered when they show what it recorded, so that whoever asks next
 * sees it. Each projection says how far it is; the slowest counts.
 */
@Injectable()
export class Watermark {
  private readonly marks = new Map<string, number>();
  private waiting: Waiting[] = [];
  private lowest = Number.POSITIVE_INFINITY;

  constructor(private readonly clock: Clock) {}

  /** True when every projection has taken in the log up to this position; false when they took too long. */
  reached(position: number): Promise<boolean> {
    if (this.lowest >= position) return Promise.resolve(true);
    return new Promise((resolve) => {
      const giveUp = this.clock.after(patienceMs, () => settle(false));
      const settle = (reached: boolean) => {
        giveUp();
        this.waiting = this.waiting.filter((waiter) => waiter.settle !== settle);
        resolve(reached);
      };
      this.waiting.push({ position, settle });
    });
  }

  moved(projection: string, position: number): void {
    this.marks.set(projection, position);
    this.lowest = Math.min(...this.marks.values());
    if (this.waiting.length === 0) return;
    for (const waiter of this.waiting.filter(({ position: wanted }) => wanted <= this.lowest)) waiter.settle(true);
  }

  /** Where each projection stands, for the metrics. */
  positions(): ReadonlyMap<string, number> {
    return this.marks;
  }
}
