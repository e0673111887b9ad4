/** A limited resource that is shared fairly, in milliseconds of its use. */
export interface ShareOptions {
  /** Distributed per millisecond. */
  readonly perMs: number;
  /** What a workspace may use at once without exceeding its share. */
  readonly burstMs: number;
  /** Limit of remembered use, so that a workspace is within its share again soon after it stops. */
  readonly mostMs: number;
}

/** Often enough for every limit here, and rarely enough that many workspaces cost nothing. */
const forgiveEveryMs = 5;

/**
 * Fair share: the recent use of each workspace. As time passes, all workspaces with use are forgiven equal parts, and
 * one part is reserved for the next workspace to come. So a workspace that stops returns to its share, and one that
 * continues to use more than others does not, however it divides its use.
 */
export class FairShares {
  private readonly used = new Map<string, number>();
  private at: number;

  constructor(
    private readonly options: ShareOptions,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.at = now();
  }

  /** The amount may be negative, if more was charged in advance than was used. */
  charge(workspace: string, ms: number): void {
    this.forgive();
    const used = Math.min((this.used.get(workspace) ?? 0) + ms, this.options.mostMs);
    if (used > 0) this.used.set(workspace, used);
    else this.used.delete(workspace);
  }

  isOver(workspace: string): boolean {
    return this.excess(workspace) > 0;
  }

  /** Milliseconds until it is within its share if it uses nothing more. 0: it already is. */
  waitOf(workspace: string): number {
    return Math.ceil(this.excess(workspace) / this.part);
  }

  private excess(workspace: string): number {
    this.forgive();
    return Math.max(0, (this.used.get(workspace) ?? 0) - this.options.burstMs);
  }

  private get part(): number {
    return this.options.perMs / (this.used.size + 1);
  }

  private forgive(): void {
    const now = this.now();
    if (now - this.at < forgiveEveryMs) return;
    const forgiven = (now - this.at) * this.part;
    this.at = now;
    for (const [workspace, used] of this.used) {
      if (used > forgiven) this.used.set(workspace, used - forgiven);
      else this.used.delete(workspace);
    }
  }
}
