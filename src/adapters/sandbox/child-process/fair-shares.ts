/** Parameters of a limited resource that workspaces share. Its use is measured in milliseconds. */
export interface ShareOptions {
  /** Milliseconds of use that are available per millisecond, for all workspaces together. */
  readonly perMs: number;
  /** Use that a workspace may accumulate without exceeding its share. */
  readonly burstMs: number;
  /** Maximum use that is remembered of a workspace, so that it is within its share again soon after it stops. */
  readonly mostMs: number;
}

/**
 * Interval of updates, in milliseconds. It is short compared with all limits here, and long enough that updating many
 * workspaces costs little.
 */
const forgiveEveryMs = 5;

/**
 * Fair shares by the recent use of each workspace. As time passes, the use of all workspaces is reduced by equal parts.
 * One more part is reserved for a workspace that begins. So a workspace that stops is soon within its share again. A
 * workspace that continues to use more than others stays above its share, even if it divides its use among many runs.
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

  /** Adds to the use of a workspace. The amount is negative if more was charged in advance than was used. */
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
   * Returns the milliseconds after which the workspace is within its share if it uses nothing in that time. Returns 0
   * if it is within its share now.
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
