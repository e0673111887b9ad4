/** What may be given out of something that there is only so much of, in milliseconds of it. */
export interface ShareOptions {
  /** Given out in each millisecond. */
  readonly perMs: number;
  /** What a workspace may use at once without being over its share. */
  readonly burstMs: number;
  /** Remembered at most, so that a workspace is within its share again soon after it has stopped. */
  readonly mostMs: number;
}

/** Often enough for every bound here, and seldom enough that many workspaces cost nothing. */
const forgiveEveryMs = 5;

/**
 * What each workspace has used of late. All that use anything are forgiven in equal parts as time goes by, and one part
 * is nobody's: it is for who comes next. So whoever stops using comes back within their share, and whoever goes on
 * using more than others does not, however the use is cut into pieces.
 */
export class Shares {
  private readonly used = new Map<string, number>();
  private at: number;

  constructor(
    private readonly options: ShareOptions,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.at = now();
  }

  /** Also less than nothing, where more was charged beforehand than it took. */
  charge(workspace: string, ms: number): void {
    this.forgive();
    const used = Math.min((this.used.get(workspace) ?? 0) + ms, this.options.mostMs);
    if (used > 0) this.used.set(workspace, used);
    else this.used.delete(workspace);
  }

  isOver(workspace: string): boolean {
    return this.excess(workspace) > 0;
  }

  /** Milliseconds until it is within its share if it uses nothing more; 0: it is. */
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
