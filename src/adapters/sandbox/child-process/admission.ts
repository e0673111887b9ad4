import type { FairShares } from './fair-shares.js';
import { type ChildProcessOptions, HOG_AFTER_MS, PATIENCE_MS, QUICK_MS, RESERVED_MS } from './options.js';
import type { PriorityClass } from './priority-class.js';
import type { ProcessSlots } from './process-slots.js';
import type { WaitingRun } from './waiting.js';

/** A busy process, as considered for runs that wait to start. */
export interface Computing {
  readonly priority: PriorityClass;
  readonly waiting: WaitingRun | undefined;
  /** Time at which it last received something. Undefined while it waits for something from outside. */
  readonly computingSince: number | undefined;
  /** Total computing time of its run. */
  readonly computedMs: number;
}

/**
 * Decides which runs may start now. Workspaces within their share of computing time run at normal priority (`front`),
 * others at low priority (`back`). Each class has `parallel` runs that compute at once, and the operating system
 * prefers `front`.
 */
export class RunAdmission {
  /** Time at which a caller with a key last requested a run. */
  private keyedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly options: Pick<ChildProcessOptions, 'parallel'>,
    private readonly places: ProcessSlots,
    private readonly computing: FairShares,
    private readonly now: () => number = () => performance.now(),
  ) {}

  priorityOf(workspace: string): PriorityClass {
    return this.computing.isOver(workspace) ? 'back' : 'front';
  }

  /**
   * Returns how many more runs may begin to compute. Runs that have computed for long are not included: they compete
   * for the processor, but block no others.
   */
  room(priority: PriorityClass, children: Iterable<Computing>): number {
    return this.roomBeside(HOG_AFTER_MS, priority, children);
  }

  admits(waiting: WaitingRun, room: number, children: Iterable<Computing>): boolean {
    const isRoom = room > this.reservedBeside(waiting);
    return (isRoom || this.isOwed(waiting, children)) && this.places.isFreeFor(waiting);
  }

  /** Must be called for every requested run, before it is queued. */
  requested({ job }: Pick<WaitingRun, 'job'>): void {
    if (!job.byVisitors) this.keyedAt = this.now();
  }

  /**
   * Returns the number of slots that the run must leave free: one if a visitor caused the run and a caller with a key
   * has just requested one, otherwise none.
   */
  private reservedBeside({ job }: WaitingRun): number {
    const isNeeded = job.byVisitors && this.now() - this.keyedAt < RESERVED_MS;
    return isNeeded && this.options.parallel > 1 ? 1 : 0;
  }

  /** Whether the run's workspace has nothing computing, and the computing runs are not about to end. */
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
