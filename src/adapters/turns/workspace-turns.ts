import { FairQueue, type Queued } from './fair-queue.js';

export interface TurnShares {
  /** Most pieces of work in progress at once. */
  readonly most: number;
  /** Most per workspace. Fewer than `most`, so that expensive work delays others only if two workspaces request it. */
  readonly mostEach: number;
  /** Most for all work with `behind`, so that a slot remains for other work. Default: all. */
  readonly mostBehind?: number;
}

/** How one piece of work waits for its turn. */
export interface Patience {
  /**
   * Work with this name runs after the workspace's other work, and is counted separately. Equal names share the
   * remaining turns. If omitted, it is the workspace's own work.
   */
  readonly behind?: string | undefined;
  /** Most waiting work of the same share. Default: no limit. */
  readonly waiting?: number;
  /** Time in milliseconds for which it waits. Default: for ever. */
  readonly waitMs?: number;
}

/** The workspace's queue is full, or the work waited too long. */
export class TurnsTaken extends Error {}

interface Waiting extends Queued {
  readonly behind: boolean;
  readonly lane: string;
  readonly share: string;
  late?: NodeJS.Timeout;
  begin(end: () => void): void;
  reject(error: unknown): void;
}

/** Starts work with a fair share per workspace. Within a workspace, work with `behind` comes last. */
export class WorkspaceTurns {
  private readonly queue = new FairQueue<Waiting>();
  private readonly going = new Counts();
  private readonly waiting = new Counts();
  private all = 0;
  private behind = 0;

  constructor(private readonly shares: TurnShares) {}

  /**
   * Resolves when its turn has come, with the function that ends the turn. @throws TurnsTaken, and the error given to
   * `clear`
   */
  take(workspace: string, patience: Patience = {}): Promise<() => void> {
    const { behind: share = '', waiting = Number.POSITIVE_INFINITY, waitMs } = patience;
    const behind = share !== '';
    const lane = `${workspace}/${behind}`;
    const key = `${lane}/${share}`;
    return new Promise((begin, reject) => {
      const index = { workspace, depth: behind ? 0 : 1, rank: this.waiting.of(key) };
      const item: Waiting = { ...index, behind, lane, share: key, begin, reject };
      if (waitMs !== undefined) item.late = setTimeout(() => this.refuse(item), waitMs).unref();
      this.queue.add(item);
      this.waiting.add(key, 1);
      this.dispatch();
      if (this.waiting.of(key) > waiting) this.refuse(item);
    });
  }

  /** Rejects all waiting work. */
  clear(error: unknown): void {
    for (const item of this.queue.clear()) {
      this.leave(item);
      item.reject(error);
    }
  }

  private dispatch(): void {
    while (this.all < this.shares.most) {
      const next = this.queue.find((item) => this.mayBegin(item));
      if (next === undefined) return;
      this.queue.remove(next);
      this.leave(next);
      this.count(next, 1);
      next.begin(() => {
        this.count(next, -1);
        this.dispatch();
      });
    }
  }

  private mayBegin({ lane, behind }: Waiting): boolean {
    const { most, mostEach, mostBehind = most } = this.shares;
    return this.going.of(lane) < mostEach && !(behind && this.behind >= mostBehind);
  }

  private count({ lane, behind }: Waiting, more: number): void {
    this.all += more;
    this.behind += behind ? more : 0;
    this.going.add(lane, more);
  }

  /** Rejects waiting work. Does nothing if its turn has already come. */
  private refuse(item: Waiting): void {
    if (!this.queue.takeOut(item)) return;
    this.leave(item);
    item.reject(new TurnsTaken('Too much other work waits.'));
  }

  /** Must be called when the work no longer waits. */
  private leave({ share, late }: Waiting): void {
    this.waiting.add(share, -1);
    clearTimeout(late);
  }
}

/** Counts by name. Names with a count of zero are removed. */
class Counts {
  private readonly counts = new Map<string, number>();

  of(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  add(name: string, more: number): void {
    const count = this.of(name) + more;
    if (count > 0) this.counts.set(name, count);
    else this.counts.delete(name);
  }
}
