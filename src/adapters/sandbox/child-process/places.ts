import type { CallingRun } from '../../../ports/sandbox.port.js';

/** A run, as far as its place is concerned. */
export interface Placed {
  readonly workspace: string;
  /** How many runs stand above it. */
  readonly depth: number;
  /** Itself, as those know it that it calls. */
  readonly self: CallingRun;
  readonly calledBy: CallingRun | undefined;
}

type Place = 'outer' | 'called' | 'lane';

/** A workspace that has some places already leaves this part of those that are free alone: it may have 3 for each. */
const greed = 3;

/**
 * Who may have a process. The more a workspace has, the more has to stay free beside it, so that one is left for whoever
 * has none. Runs that others wait for have places of their own, and beyond these there is a lane for one workspace at a
 * time none of whose runs could go on otherwise. Each run in the lane stands deeper than the one before, and calls go
 * only so deep, so the lane always moves: no run waits for ever for one that it has called.
 */
export class Places {
  private readonly taken = new Map<Placed, Place>();
  /** How many that wait or run each run has called. */
  private readonly callees = new Map<CallingRun, number>();

  constructor(private readonly processes: number) {}

  /** From when it waits for a place until it is over, a run holds up its caller. */
  wanted({ calledBy }: Placed): void {
    if (calledBy) this.callees.set(calledBy, (this.callees.get(calledBy) ?? 0) + 1);
  }

  over(run: Placed): void {
    this.taken.delete(run);
    const { calledBy } = run;
    const left = calledBy ? (this.callees.get(calledBy) ?? 0) - 1 : 0;
    if (calledBy && left > 0) this.callees.set(calledBy, left);
    else if (calledBy) this.callees.delete(calledBy);
  }

  isFreeFor(run: Placed): boolean {
    return this.placeFor(run) !== undefined;
  }

  /** Whoever asked `isFreeFor` before is given what it found. */
  take(run: Placed): void {
    const place = this.placeFor(run);
    if (place !== undefined) this.taken.set(run, place);
  }

  private placeFor(run: Placed): Place | undefined {
    if (!run.calledBy) return this.fitsOuter(run) ? 'outer' : undefined;
    const free = this.processes - this.count('called');
    const own = this.count('called', run.workspace);
    if (fits(own, free)) return 'called';
    if (!this.isStuck(run.workspace)) return undefined;
    if (free > 1) return 'called';
    return this.fitsLane(run) ? 'lane' : undefined;
  }

  /** Who has nothing running at all may go beyond what there is for those that have. */
  private fitsOuter({ workspace }: Placed): boolean {
    const all = this.count('outer');
    const own = this.count('outer', workspace);
    return own === 0 ? all < 2 * this.processes : fits(own, this.processes - all);
  }

  private fitsLane({ workspace, depth }: Placed): boolean {
    const lane = [...this.taken].flatMap(([run, place]) => (place === 'lane' ? run : []));
    return lane.every((run) => run.workspace === workspace && run.depth < depth);
  }

  /** Each of its runs waits for one that has no place yet. */
  private isStuck(workspace: string): boolean {
    return [...this.taken.keys()].every((run) => run.workspace !== workspace || this.callees.has(run.self));
  }

  private count(kind: Place, workspace?: string): number {
    let count = 0;
    for (const [run, place] of this.taken)
      if (place === kind && (workspace === undefined || run.workspace === workspace)) count += 1;
    return count;
  }
}

function fits(own: number, free: number): boolean {
  return free > 0 && (own === 0 || own + 1 <= greed * (free - 1));
}
