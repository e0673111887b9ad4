/** A limited resource that is shared fairly, in milliseconds of its use. */
export interface ShareOptions {
  /** Milliseconds of use distributed per millisecond. */
  readonly perMs: number;
  /** Use that a workspace may have at once without exceeding its share. */
  readonly burstMs: number;
  /** Limit of remembered use, so that a workspace is within its share again soon after it stops. */
  readonly mostMs: number;
}

/**
 * Interval of updates in milliseconds. Short enough for every limit here, and long enough that many workspaces cost
 * nothing.
 */
const forgiveEveryMs = 5;

/**
 * Fair shares by the recent use of each workspace. As time passes, equal parts of all workspaces' use are forgiven, and
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

  /**
   * Returns the milliseconds until the workspace is within its share if it uses nothing more. 0 means that it already
   * is.
   */
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
