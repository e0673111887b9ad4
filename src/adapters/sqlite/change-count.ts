import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Counts writes. Those of other processes are noticed in the next turn of the event loop at the latest. */
export class ChangeCount {
  private readonly dataVersion: StatementSync;
  private count = 0;
  private seen: unknown;
  private lookedIn = -1;

  constructor(database: DatabaseSync) {
    this.dataVersion = database.prepare('PRAGMA data_version');
    this.dataVersion.setReturnArrays(true);
  }

  /** Must be called after every write of this process, over any connection, before the write is reported as done. */
  written(): void {
    this.count += 1;
  }

  /** If two calls return the same number, no write was noticed between them. */
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

function thisTurn(): number {
  if (isCounted) return turn;
  isCounted = true;
  setImmediate(() => {
    isCounted = false;
    turn += 1;
  });
  return turn;
}
