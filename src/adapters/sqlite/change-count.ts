/**
 * Counts what was written to a file of SQLite, by this process and by others. Writes of other connections are looked for
 * once per turn of the event loop, so they count from the next turn on.
 */
export class ChangeCount {
  private count = 0;
  private seen: unknown;
  private isFresh = false;

  constructor(
    /** `PRAGMA data_version` of a connection that reads the file. */
    private readonly dataVersion: () => unknown,
  ) {}

  /** Call after every write of this process, by whichever connection, before anybody hears that it is done. */
  written(): void {
    this.count += 1;
  }

  /** The same number as before: nothing was written in between. */
  now(): number {
    if (this.isFresh) return this.count;
    this.isFresh = true;
    setImmediate(() => {
      this.isFresh = false;
    });
    const version = this.dataVersion();
    if (version !== this.seen) this.count += 1;
    this.seen = version;
    return this.count;
  }
}
