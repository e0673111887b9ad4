/** Work with the same key runs one at a time, in order of arrival. Idle keys use no memory. */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();

  constructor(
    /** If this returns true, the error fails all work that waits for the key. By default, the next work starts. */
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
