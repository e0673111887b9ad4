import { FairQueue, type Queued } from './fair-queue.js';

export interface Turn {
  /** Lines take turns; within a line, in order of arrival. */
  readonly line: string;
  /** It leaves the last slot to those that do not yield. */
  readonly yields?: boolean;
}

export interface TurnLimits {
  /** Tasks that run at once. */
  readonly atATime: number;
  /** Per line. */
  readonly atATimeOfLine: number;
  /** Tasks that may wait: separately for those that yield, and for the others. */
  readonly waiting: number;
  readonly waitingOfLine: number;
  readonly waitingOfYieldingLine: number;
  /** The error for a task when the queue is full. */
  readonly full: () => Error;
}

interface Waiting extends Queued {
  readonly yields: boolean;
  start(): void;
}

/** Runs a few tasks at a time, with a bounded queue for the others. */
export class FairTurns {
  private readonly queue = new FairQueue<Waiting>();
  private readonly running = { all: 0, yielding: 0, byLine: new Map<string, number>() };
  /** Waiting tasks that yield. */
  private yieldingWait = 0;

  constructor(private readonly limits: TurnLimits) {}

  async take<Result>({ line, yields = false }: Turn, task: () => Promise<Result>): Promise<Result> {
    if (this.mayStart(line, yields)) this.count(line, yields, 1);
    else await this.turn(line, yields);
    try {
      return await task();
    } finally {
      this.count(line, yields, -1);
      this.next();
    }
  }

  private mayStart(line: string, yields: boolean): boolean {
    const { atATime, atATimeOfLine } = this.limits;
    const { all, yielding, byLine } = this.running;
    if (all >= atATime || (byLine.get(line) ?? 0) >= atATimeOfLine) return false;
    return !yields || yielding < Math.max(1, atATime - 1);
  }

  private count(line: string, yields: boolean, change: 1 | -1): void {
    const { running } = this;
    running.all += change;
    if (yields) running.yielding += change;
    const own = (running.byLine.get(line) ?? 0) + change;
    if (own > 0) running.byLine.set(line, own);
    else running.byLine.delete(line);
  }

  private turn(line: string, yields: boolean): Promise<void> {
    const { waiting, waitingOfLine, waitingOfYieldingLine, full } = this.limits;
    const own = this.queue.sizeOf(line);
    const alike = yields ? this.yieldingWait : this.queue.size - this.yieldingWait;
    // One task per line always fits: a full queue must not exclude other lines.
    const isFull = own > 0 && alike >= waiting;
    if (isFull || own >= (yields ? waitingOfYieldingLine : waitingOfLine)) throw full();
    if (yields) this.yieldingWait++;
    return new Promise((start) => this.queue.add({ workspace: line, depth: 0, yields, start }));
  }

  /** A finished task's slot goes to the next one that may use it. */
  private next(): void {
    for (;;) {
      const first = this.queue.find(({ workspace: line, yields }) => this.mayStart(line, yields));
      if (first === undefined) return;
      this.queue.remove(first);
      if (first.yields) this.yieldingWait--;
      this.count(first.workspace, first.yields, 1);
      first.start();
    }
  }
}
