import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * Counts what was written to a file of SQLite, by this process and by others. Writes of other connections are looked for
 * once per turn of the event loop, so they count from the next turn on.
 */
export class ChangeCount {
  private readonly dataVersion: StatementSync;
  private count = 0;
  private seen: unknown;
  private lookedIn = -1;

  /** `database`: a connection that reads the file. */
  constructor(database: DatabaseSync) {
    this.dataVersion = database.prepare('PRAGMA data_version');
    this.dataVersion.setReturnArrays(true);
  }

  /** Call after every write of this process, by whichever connection, before anybody hears that it is done. */
  written(): void {
    this.count += 1;
  }

  /** The same number as before: nothing was written in between. */
  now(): number {
    const turn = thisTurn();
    if (turn === this.lookedIn) return this.count;
    this.lookedIn = turn;
    const [version] = (this.dataVersion.get() ?? []) as unknown as readonly unknown[];
    if (version !== this.seen) this.count += 1;
    this.seen = version;
    return this.count;
  }
}

let turn = 0;
let isCounted = false;

/** A number for each turn of the event loop in which anybody asks. */
function thisTurn(): number {
  if (isCounted) return turn;
  isCounted = true;
  setImmediate(() => {
    isCounted = false;
    turn += 1;
  });
  return turn;
}
