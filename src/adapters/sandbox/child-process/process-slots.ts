import type { CallingRun } from '../../../ports/offloaded/sandbox.port.js';

export interface SlotRequest {
  readonly workspace: string;
  /** Number of runs that wait for this one: its caller, the caller's caller and so on. */
  readonly depth: number;
  readonly self: CallingRun;
  readonly calledBy: CallingRun | undefined;
}

type Slot = 'outer' | 'called' | 'overflow';

/** Number of slots that a workspace may use for each slot that it leaves free. Does not limit its first slot. */
const greed = 3;

/**
 * The more slots a workspace has, the more must remain free for others. If each of its runs waits for a run that it
 * called, a called run may get the last slot, or one beyond `processes` (`overflow`). So no run waits for ever for a
 * run that it called. Only one workspace at a time may use `overflow` slots.
 */
export class ProcessSlots {
  private readonly taken = new Map<SlotRequest, Slot>();
  private readonly callees = new Map<CallingRun, number>();

  constructor(private readonly processes: number) {}

  addRequest({ calledBy }: SlotRequest): void {
    if (calledBy) this.callees.set(calledBy, (this.callees.get(calledBy) ?? 0) + 1);
  }

  over(run: SlotRequest): void {
    this.taken.delete(run);
    const { calledBy } = run;
    const left = calledBy ? (this.callees.get(calledBy) ?? 0) - 1 : 0;
    if (calledBy && left > 0) this.callees.set(calledBy, left);
    else if (calledBy) this.callees.delete(calledBy);
  }

  isFreeFor(run: SlotRequest): boolean {
    return this.slotFor(run) !== undefined;
  }

  assignSlot(run: SlotRequest): void {
    const slot = this.slotFor(run);
    if (slot !== undefined) this.taken.set(run, slot);
  }

  private slotFor(run: SlotRequest): Slot | undefined {
    if (!run.calledBy) return this.fitsOuter(run) ? 'outer' : undefined;
    const free = this.processes - this.count('called');
    const own = this.count('called', run.workspace);
    if (fits(own, free)) return 'called';
    if (!this.isStuck(run.workspace)) return undefined;
    if (free > 1) return 'called';
    return this.fitsOverflow(run) ? 'overflow' : undefined;
  }

  /**
   * Normally, at most `processes` runs have an `outer` slot. A workspace without one gets its first as long as fewer
   * than `2 * processes` are taken.
   */
  private fitsOuter({ workspace }: SlotRequest): boolean {
    const all = this.count('outer');
    const own = this.count('outer', workspace);
    return own === 0 ? all < 2 * this.processes : fits(own, this.processes - all);
  }

  private fitsOverflow({ workspace, depth }: SlotRequest): boolean {
    const overflow = [...this.taken].flatMap(([run, slot]) => (slot === 'overflow' ? run : []));
    return overflow.every((run) => run.workspace === workspace && run.depth < depth);
  }

  private isStuck(workspace: string): boolean {
    return [...this.taken.keys()].every((run) => run.workspace !== workspace || this.callees.has(run.self));
  }

  private count(kind: Slot, workspace?: string): number {
    let count = 0;
    for (const [run, slot] of this.taken)
      if (slot === kind && (workspace === undefined || run.workspace === workspace)) count += 1;
    return count;
  }
}

function fits(own: number, free: number): boolean {
  return free > 0 && (own === 0 || own + 1 <= greed * (free - 1));
}
