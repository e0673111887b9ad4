interface Waiting<Work, Result> {
  readonly work: Work;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

type Settled<Result> = readonly PromiseSettledResult<Result>[];

/** A larger group would block the main thread for tens of milliseconds. */
const largestGroup = 1_000;

/**
 * Groups the requests of one turn of the event loop, so that they share one commit and one fsync. If requests may wait,
 * the group is committed when the wait of its first request ends.
 */
export class GroupCommit<Work, Result> {
  private waiting: Waiting<Work, Result>[] = [];
  private isDue = false;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param commit carries out the requests in order, and returns when all are durable. If it throws, nothing was done,
   * and all promises of the group reject with that error.
   * @param patienceMs default time, in milliseconds, for which a request may wait for others to share its commit.
   * `hurry` ends the wait.
   */
  constructor(
    private readonly commit: (works: readonly Work[]) => Settled<Result> | Promise<Settled<Result>>,
    private readonly patienceMs = 0,
  ) {}

  get works(): readonly Work[] {
    return this.waiting.map(({ work }) => work);
  }

  submit(work: Work, patienceMs = this.patienceMs): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ work, resolve, reject });
      if (patienceMs === 0) this.soon();
      else this.timer ??= setTimeout(() => this.commitGroup(), patienceMs);
    });
  }

  /** Commits the waiting requests at the end of this turn of the event loop. */
  hurry(): void {
    if (this.waiting.length > 0) this.soon();
  }

  /** Passes all waiting requests to `commit` before it returns. */
  flush(): void {
    while (this.waiting.length > 0) this.commitGroup();
  }

  private soon(): void {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => this.commitGroup());
  }

  private commitGroup(): void {
    this.isDue = false;
    clearTimeout(this.timer);
    this.timer = undefined;
    const group = this.waiting.slice(0, largestGroup);
    this.waiting = this.waiting.slice(largestGroup);
    if (this.waiting.length > 0) this.soon();
    if (group.length > 0) this.settle(group);
  }

  private settle(group: readonly Waiting<Work, Result>[]): void {
    try {
      const results = this.commit(group.map(({ work }) => work));
      if ('then' in results)
        results.then(
          (done) => answer(group, done),
          (error: unknown) => refuse(group, error),
        );
      else answer(group, results);
    } catch (error) {
      refuse(group, error);
    }
  }
}

function answer<Result>(group: readonly Waiting<unknown, Result>[], results: Settled<Result>): void {
  group.forEach(({ resolve, reject }, index) => {
    const result = results[index];
    if (result?.status === 'fulfilled') resolve(result.value);
    else reject(result?.reason);
  });
}

function refuse<Result>(group: readonly Waiting<unknown, Result>[], error: unknown): void {
  for (const { reject } of group) reject(error);
}
