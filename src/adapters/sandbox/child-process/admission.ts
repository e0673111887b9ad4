import type { FairShares } from './fair-shares.js';
import { type ChildProcessOptions, HOG_AFTER_MS, PATIENCE_MS, QUICK_MS, RESERVED_MS } from './options.js';
import type { PriorityClass } from './priority-class.js';
import type { ProcessSlots } from './process-slots.js';
import type { WaitingRun } from './waiting.js';

export interface Computing {
  readonly priority: PriorityClass;
  readonly waiting: WaitingRun | undefined;
  /** Time, by performance.now(). Undefined while the run waits for a timer or for the result of a call. */
  readonly computingSince: number | undefined;
  readonly computedMs: number;
}

/**
 * Runs of workspaces within their share of computing time have normal priority (`front`), others low priority (`back`).
 * In each class, `parallel` runs may compute at the same time, or more if a workspace without a computing run has
 * waited too long.
 */
export class RunAdmission {
  private keyedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly options: Pick<ChildProcessOptions, 'parallel'>,
    private readonly slots: ProcessSlots,
    private readonly computing: FairShares,
    private readonly now: () => number = () => performance.now(),
  ) {}

  priorityOf(workspace: string): PriorityClass {
    return this.computing.isOver(workspace) ? 'back' : 'front';
  }

  /**
   * Returns how many further runs may compute; negative if more than `parallel` runs compute. Runs that have computed
   * for long are not counted, because they compete for the processor but must not block others.
   */
  room(priority: PriorityClass, children: Iterable<Computing>): number {
    return this.roomBeside(HOG_AFTER_MS, priority, children);
  }

  admits(waiting: WaitingRun, room: number, children: Iterable<Computing>): boolean {
    const isRoom = room > this.reservedBeside(waiting);
    return (isRoom || this.isOwed(waiting, children)) && this.slots.isFreeFor(waiting);
  }

  /** Must be called before the run is queued. */
  requested({ job }: Pick<WaitingRun, 'job'>): void {
    if (!job.byVisitors) this.keyedAt = this.now();
  }

  private reservedBeside({ job }: WaitingRun): number {
    const isNeeded = job.byVisitors && this.now() - this.keyedAt < RESERVED_MS;
    return isNeeded && this.options.parallel > 1 ? 1 : 0;
  }

  private isOwed(waiting: WaitingRun, children: Iterable<Computing>): boolean {
    const { workspace, since } = waiting;
    for (const other of children)
      if (other.waiting?.workspace === workspace && other.computingSince !== undefined) return false;
    if (this.now() - since >= PATIENCE_MS) return true;
    return this.roomBeside(QUICK_MS, this.priorityOf(workspace), children) > this.reservedBeside(waiting);
  }

  private roomBeside(mostMs: number, priority: PriorityClass, children: Iterable<Computing>): number {
    let computing = 0;
    for (const child of children)
      if (child.priority === priority && child.computingSince !== undefined && child.computedMs < mostMs)
        computing += 1;
    return this.options.parallel - computing;
  }
}
