import { type ChildProcessOptions, HOG_AFTER_MS, PATIENCE_MS, QUICK_MS } from './options.js';
import type { Places } from './places.js';
import type { Shares } from './shares.js';
import type { Standing } from './standing.js';
import type { Waiting } from './waiting.js';

/** A process, as far as others that want to start are concerned. */
export interface Computing {
  readonly standing: Standing;
  readonly waiting: Waiting | undefined;
  /** Since it was last told something; undefined while it waits for something from outside. */
  readonly computingSince: number | undefined;
  /** What its run has computed in all. */
  readonly computedMs: number;
}

/**
 * Who may start now. Workspaces that are within their share of the computing compute in front, the others behind them:
 * each kind has `parallel` runs that compute at once, and the system gives those in front the processor first.
 */
export class Admission {
  constructor(
    private readonly options: Pick<ChildProcessOptions, 'parallel'>,
    private readonly places: Places,
    private readonly computing: Shares,
    private readonly now: () => number = () => performance.now(),
  ) {}

  standingOf(workspace: string): Standing {
    return this.computing.isOver(workspace) ? 'back' : 'front';
  }

  /** How many more may begin to compute. Those that have computed long compete like everyone, but keep nobody out. */
  room(standing: Standing, children: Iterable<Computing>): number {
    return this.roomBeside(HOG_AFTER_MS, standing, children);
  }

  admits(waiting: Waiting, room: number, children: Iterable<Computing>): boolean {
    return (room > 0 || this.isOwed(waiting, children)) && this.places.isFreeFor(waiting);
  }

  /** Its workspace has nothing computing, and those that have are not about to be done. */
  private isOwed({ workspace, since }: Waiting, children: Iterable<Computing>): boolean {
    for (const { waiting, computingSince } of children)
      if (waiting?.workspace === workspace && computingSince !== undefined) return false;
    if (this.now() - since >= PATIENCE_MS) return true;
    return this.roomBeside(QUICK_MS, this.standingOf(workspace), children) > 0;
  }

  private roomBeside(mostMs: number, standing: Standing, children: Iterable<Computing>): number {
    let computing = 0;
    for (const child of children)
      if (child.standing === standing && child.computingSince !== undefined && child.computedMs < mostMs)
        computing += 1;
    return this.options.parallel - computing;
  }
}
