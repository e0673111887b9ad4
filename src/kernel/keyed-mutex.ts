/** Runs work of the same key one after the other, in the order it arrived. Keys that nothing waits for take no memory. */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();

  constructor(
    /** Whether all that waits for work of its key fails with this error of it. Default: the next begins. */
    private readonly failsAll: (error: unknown) => boolean = () => false,
  ) {}

  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.last.get(key);
    const mine = (async () => {
      await before?.catch((error: unknown) => {
        if (this.failsAll(error)) throw error;
      });
      return work();
    })();
    this.last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.last.get(key) === mine) this.last.delete(key);
    }
  }
}
