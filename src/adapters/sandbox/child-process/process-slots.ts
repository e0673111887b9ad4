import type { CallingRun } from '../../../ports/offloaded/sandbox.port.js';

/** The properties of a run that concern its slot. */
export interface SlotRequest {
  readonly workspace: string;
  /** Length of the chain of runs that wait for it. */
  readonly depth: number;
  /** Its identity, as known to the runs that it calls. */
  readonly self: CallingRun;
  readonly calledBy: CallingRun | undefined;
}

type Slot = 'outer' | 'called' | 'lane';

/** A workspace that already has slots may use up to 3 for each free slot that it leaves to others. */
const greed = 3;

/**
 * Decides which run may have a process slot. The more slots a workspace has, the more must remain free, so that one is
 * left for a workspace without any. Runs for which other runs wait have slots of their own. If no run of a workspace
 * could continue, it may use an overflow slot; only one workspace at a time may do so. A run in an overflow slot was
 * called by the run before it, and the depth of calls is limited, so no run waits for ever for one that it called.
 */
export class ProcessSlots {
  private readonly taken = new Map<SlotRequest, Slot>();
  /** For each run, the number of runs called by it that are waiting or running. */
  private readonly callees = new Map<CallingRun, number>();

  constructor(private readonly processes: number) {}

  /** Records that a run blocks its caller, from the time it waits for a slot until it ends. */
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

  /** Assigns the slot that a preceding `isFreeFor` found. */
  take(run: SlotRequest): void {
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
    return this.fitsOverflow(run) ? 'lane' : undefined;
  }

  /** A workspace with nothing running may exceed the limit that applies to the others. */
  private fitsOuter({ workspace }: SlotRequest): boolean {
    const all = this.count('outer');
    const own = this.count('outer', workspace);
    return own === 0 ? all < 2 * this.processes : fits(own, this.processes - all);
  }

  private fitsOverflow({ workspace, depth }: SlotRequest): boolean {
    const overflow = [...this.taken].flatMap(([run, slot]) => (slot === 'lane' ? run : []));
    return overflow.every((run) => run.workspace === workspace && run.depth < depth);
  }

  /** Whether each of the workspace's runs waits for a run without a slot. */
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
