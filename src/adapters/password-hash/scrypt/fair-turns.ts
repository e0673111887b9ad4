/** Lets a few tasks run at a time. Those that wait take turns by queue, and within a queue by arrival. */
export class FairTurns {
  /** In the order in which they get the next turn. */
  private readonly queues = new Map<string, (() => void)[]>();
  private running = 0;

  constructor(
    private readonly limits: {
      readonly atATime: number;
      readonly waiting: number;
      readonly waitingOfOne: number;
      /** The error for a task that finds no room to wait. */
      readonly full: () => Error;
    },
  ) {}

  async take<Result>(queue: string, task: () => Promise<Result>): Promise<Result> {
    if (this.running >= this.limits.atATime) await this.turn(queue);
    else this.running++;
    try {
      return await task();
    } finally {
      this.next();
    }
  }

  private turn(queue: string): Promise<void> {
    const own = this.queues.get(queue) ?? [];
    const waiting = [...this.queues.values()].reduce((sum, { length }) => sum + length, 0);
    // One of each queue always finds room: those who fill it must not shut out the others.
    const isFull = own.length > 0 && waiting >= this.limits.waiting;
    if (isFull || own.length >= this.limits.waitingOfOne) throw this.limits.full();
    return new Promise((resolve) => {
      own.push(resolve);
      this.queues.set(queue, own);
    });
  }

  /** The place of the task that is done goes to the next one. */
  private next(): void {
    const [first] = this.queues;
    if (first === undefined) {
      this.running--;
      return;
    }
    const [queue, waiting] = first;
    const start = waiting.shift();
    this.queues.delete(queue);
    if (waiting.length > 0) this.queues.set(queue, waiting);
    start?.();
  }
}
