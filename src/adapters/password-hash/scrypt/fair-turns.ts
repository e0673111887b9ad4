import { FairQueue, type Queued } from '../../turns/fair-queue.js';

interface Waiting extends Queued {
  start(): void;
}

/** Lets a few tasks run at a time. Those that wait take turns by workspace, and within a workspace by arrival. */
export class FairTurns {
  private readonly queue = new FairQueue<Waiting>();
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

  async take<Result>(workspace: string, task: () => Promise<Result>): Promise<Result> {
    if (this.running >= this.limits.atATime) await this.turn(workspace);
    else this.running++;
    try {
      return await task();
    } finally {
      this.next();
    }
  }

  private turn(workspace: string): Promise<void> {
    const own = this.queue.sizeOf(workspace);
    // One of each workspace always finds room: those who fill it must not shut out the others.
    const isFull = own > 0 && this.queue.size >= this.limits.waiting;
    if (isFull || own >= this.limits.waitingOfOne) throw this.limits.full();
    return new Promise((start) => this.queue.add({ workspace, depth: 0, start }));
  }

  /** The place of the task that is done goes to the next one. */
  private next(): void {
    const first = this.queue.find(() => true);
    if (first === undefined) {
      this.running--;
      return;
    }
    this.queue.remove(first);
    first.start();
  }
}
