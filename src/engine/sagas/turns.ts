/** Runs work of the same key one after the other, in the order it arrived. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  async take<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.last.get(key);
    const mine = (async () => {
      await before?.catch(() => {});
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
