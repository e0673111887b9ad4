/** Runs work of the same key one at a time, in order of arrival. Idle keys take no memory. */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();

  constructor(
    /** Whether an error fails everything that waits for its key. Default: the next work begins. */
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
