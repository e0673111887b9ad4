import { FairQueue, type Queued } from './fair-queue.js';

export interface Turn {
  /** Lines take turns; within a line it goes by arrival. */
  readonly line: string;
  /** It leaves the last place to those that do not yield. */
  readonly yields?: boolean;
}

export interface TurnLimits {
  /** How many tasks run at once. */
  readonly atATime: number;
  /** Of one line. */
  readonly atATimeOfLine: number;
  /** How many wait of those that yield, and of the others. */
  readonly waiting: number;
  readonly waitingOfLine: number;
  readonly waitingOfYieldingLine: number;
  /** The error for a task that finds no room to wait. */
  readonly full: () => Error;
}

interface Waiting extends Queued {
  readonly yields: boolean;
  start(): void;
}

/** Lets a few tasks run at a time; so many others wait for their turns. */
export class FairTurns {
  private readonly queue = new FairQueue<Waiting>();
  private readonly running = { all: 0, yielding: 0, byLine: new Map<string, number>() };
  /** How many that yield wait. */
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
    // One of each line always finds room: those who fill it must not shut out the others.
    const isFull = own > 0 && alike >= waiting;
    if (isFull || own >= (yields ? waitingOfYieldingLine : waitingOfLine)) throw full();
    if (yields) this.yieldingWait++;
    return new Promise((start) => this.queue.add({ workspace: line, depth: 0, yields, start }));
  }

  /** The place of a task that is done goes to the next one that may have it. */
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
