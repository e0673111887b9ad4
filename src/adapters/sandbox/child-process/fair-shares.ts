export interface ShareOptions {
  /** Milliseconds of use that are available per elapsed millisecond, for all workspaces together. */
  readonly perMs: number;
  /** Use that a workspace may accumulate without exceeding its share. */
  readonly burstMs: number;
  /** Maximum use that is remembered, so that a workspace is within its share again soon after it stops. */
  readonly mostMs: number;
}

const forgiveEveryMs = 5;

/**
 * As time passes, the recorded use of every workspace falls by the same amount. A workspace gains nothing by dividing
 * its use among many runs.
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

  /** @param ms negative if more was charged in advance than was used */
  charge(workspace: string, ms: number): void {
    this.forgive();
    const used = Math.min((this.used.get(workspace) ?? 0) + ms, this.options.mostMs);
    if (used > 0) this.used.set(workspace, used);
    else this.used.delete(workspace);
  }

  isOver(workspace: string): boolean {
    return this.excess(workspace) > 0;
  }

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
