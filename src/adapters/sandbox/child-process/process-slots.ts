import type { CallingRun } from '../../../ports/offloaded/sandbox.port.js';

/** The properties of a run that determine its slot. */
export interface SlotRequest {
  readonly workspace: string;
  /** Number of runs that wait for this one: its caller, the caller's caller and so on. */
  readonly depth: number;
  /** Identity of this run. Runs that it calls refer to it in `calledBy`. */
  readonly self: CallingRun;
  readonly calledBy: CallingRun | undefined;
}

type Slot = 'outer' | 'called' | 'overflow';

/** Number of slots that a workspace may use for each slot that it leaves free. Does not limit its first slot. */
const greed = 3;

/**
 * Decides which runs get a process slot. The more slots a workspace has, the more must remain free, so that others find
 * one. Runs that were called by other runs have slots of their own. If every run of a workspace waits for a called run
 * without a slot, that run may get the last slot or an overflow slot. Only one workspace at a time may use overflow
 * slots, and each further run in them must be called at a greater depth. The depth is limited, so no run waits for ever
 * for a run that it has called.
 */
export class ProcessSlots {
  private readonly taken = new Map<SlotRequest, Slot>();
  /** Number of runs that each run has called and that are queued or running. */
  private readonly callees = new Map<CallingRun, number>();

  constructor(private readonly processes: number) {}

  /** Records that the caller waits for this run, from now until `over` is called. */
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

  /** Gives the run a slot, if one is free for it. */
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
   * Whether a run that no other run has called may get a slot. A workspace without such a slot gets one even if all are
   * in use, as long as fewer than twice as many are.
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

  /** Whether every run of the workspace that has a slot waits for a run that it has called. */
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
