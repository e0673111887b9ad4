import { FairQueue, type Queued } from './fair-queue.js';

export interface TurnShares {
  readonly most: number;
  /** Maximum number of turns that one workspace has at once. Work that sets `behind` is counted separately. */
  readonly mostEach: number;
  /** Maximum number of turns for work that sets `behind`, of all workspaces together. Default: `most`. */
  readonly mostBehind?: number;
}

export interface Patience {
  /**
   * Names a kind of work that is not the workspace's own, for example calls by the visitors of a site. It starts after
   * the workspace's own work.
   */
  readonly behind?: string | undefined;
  /** Limits the waiting work with the same workspace and the same `behind`. Default: no limit. */
  readonly waiting?: number;
  /** Longest wait for a turn, in milliseconds. Default: no limit. */
  readonly waitMs?: number;
}

/** Thrown if too much other work is waiting, or if the work has waited too long. */
export class TurnsTaken extends Error {}

interface Waiting extends Queued {
  readonly behind: boolean;
  readonly group: string;
  readonly share: string;
  late?: NodeJS.Timeout;
  begin(end: () => void): void;
  reject(error: unknown): void;
}

/**
 * Limits how much work runs at once. A turn is the right to do one piece of work, and each workspace gets a fair share
 * of the turns. Work of workspaces without a turn starts first; a workspace with a turn gets another only if no such
 * work can start. Within a workspace, work with `behind` comes last.
 */
export class WorkspaceTurns {
  private readonly queue = new FairQueue<Waiting>();
  private readonly going = new Counts();
  private readonly goingOfWorkspace = new Counts();
  private readonly waiting = new Counts();
  private all = 0;
  private behind = 0;

  constructor(private readonly shares: TurnShares) {}

  /**
   * Resolves to a function that must be called to end the turn.
   * @throws TurnsTaken, and the error given to `clear`
   */
  acquire(workspace: string, patience: Patience = {}): Promise<() => void> {
    const { behind: share = '', waiting = Number.POSITIVE_INFINITY, waitMs } = patience;
    const behind = share !== '';
    const group = `${workspace}/${behind}`;
    const key = `${group}/${share}`;
    return new Promise((begin, reject) => {
      const index = { workspace, depth: behind ? 0 : 1, rank: this.waiting.count(key) };
      const item: Waiting = { ...index, behind, group, share: key, begin, reject };
      if (waitMs !== undefined) item.late = setTimeout(() => this.refuse(item), waitMs).unref();
      this.queue.add(item);
      this.waiting.add(key, 1);
      this.dispatch();
      if (this.waiting.count(key) > waiting) this.refuse(item);
    });
  }

  clear(error: unknown): void {
    for (const item of this.queue.clear()) {
      this.leave(item);
      item.reject(error);
    }
  }

  private dispatch(): void {
    while (this.all < this.shares.most) {
      const next =
        this.queue.find((item) => this.goingOfWorkspace.count(item.workspace) === 0 && this.mayBegin(item)) ??
        this.queue.find((item) => this.mayBegin(item));
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

  private mayBegin({ group, behind }: Waiting): boolean {
    const { most, mostEach, mostBehind = most } = this.shares;
    return this.going.count(group) < mostEach && !(behind && this.behind >= mostBehind);
  }

  private count({ workspace, group, behind }: Waiting, more: number): void {
    this.all += more;
    this.behind += behind ? more : 0;
    this.going.add(group, more);
    this.goingOfWorkspace.add(workspace, more);
  }

  private refuse(item: Waiting): void {
    if (!this.queue.takeOut(item)) return;
    this.leave(item);
    item.reject(new TurnsTaken('Too much other work is waiting.'));
  }

  private leave({ share, late }: Waiting): void {
    this.waiting.add(share, -1);
    clearTimeout(late);
  }
}

class Counts {
  private readonly counts = new Map<string, number>();

  count(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  add(name: string, more: number): void {
    const count = this.count(name) + more;
    if (count > 0) this.counts.set(name, count);
    else this.counts.delete(name);
  }
}
