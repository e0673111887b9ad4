import { FairQueue, type Queued } from './fair-queue.js';

export interface Turn {
  /**
   * Key of the queue in which the task waits. Queues take turns, and the tasks of a queue start in the order of
   * arrival.
   */
  readonly line: string;
  /** A task that yields may not use the last free slot. */
  readonly yields?: boolean;
}

export interface TurnLimits {
  readonly atATime: number;
  readonly atATimeOfLine: number;
  /** Maximum number of waiting tasks, counted separately for tasks that yield and tasks that do not. */
  readonly waiting: number;
  readonly waitingOfLine: number;
  readonly waitingOfYieldingLine: number;
  readonly full: () => Error;
}

interface Waiting extends Queued {
  readonly yields: boolean;
  start(): void;
}

export class FairTurns {
  private readonly queue = new FairQueue<Waiting>();
  private readonly running = { all: 0, yielding: 0, byLine: new Map<string, number>() };
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
    // The first waiting task of a line is never refused, so that the tasks of other lines cannot exclude it.
    const isFull = own > 0 && alike >= waiting;
    if (isFull || own >= (yields ? waitingOfYieldingLine : waitingOfLine)) throw full();
    if (yields) this.yieldingWait++;
    return new Promise((start) => this.queue.add({ workspace: line, depth: 0, yields, start }));
  }

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
