export interface Further<T> {
  readonly most: number;
  /**
   * Returns the next items of the key, oldest first, at most `most` of them.
   * @param last the item that was added last
   * @param known the items in memory, and also `last` if it is not in memory
   */
  find(last: T, known: readonly T[]): Promise<readonly T[]>;
  isSame(one: T, other: T): boolean;
  join(waiting: T, double: T): void;
  /** Called for an item that is not stored in memory. A look-up will find it later. */
  leave(item: T): void;
  failed(last: T, error: unknown, pauseMs: number): void;
}

export const firstPauseMs = 500;
const longestPauseMs = 30_000;

/**
 * Whether the key can have more items than are in memory. `later` means newer ones, and `first` means that older ones
 * can be missing too.
 */
type Lookup = 'no' | 'later' | 'first';

/** The first item stays in the queue while it is in progress and while it waits for a retry. */
export class KeyQueue<T> {
  items: T[] = [];
  inHand: T | undefined;
  pauseMs = firstPauseMs;
  endPause: (() => void) | undefined;
  private lookup: Lookup = 'no';
  private isLookingUp = false;
  /**
   * Items that the last look-up found. If the next look-up finds one that is no longer in memory, it is not added
   * again: it is done or cannot be done in this process.
   */
  private found: readonly T[] = [];

  constructor(
    readonly key: string,
    private readonly further: Further<T> | undefined,
    private last: T,
  ) {}

  /** @param asksFirst whether older items of the key can be missing */
  add(item: T, asksFirst: boolean): void {
    this.last = item;
    const { further } = this;
    if (further === undefined) return void this.items.push(item);
    if (asksFirst) this.lookup = 'first';
    const waiting = this.items.find((one) => one !== this.inHand && further.isSame(one, item));
    if (waiting !== undefined) further.join(waiting, item);
    else if (this.lookup !== 'later' && this.items.length < further.most) this.items.push(item);
    else {
      if (this.lookup === 'no') this.lookup = 'later';
      further.leave(item);
    }
  }

  get isEmpty(): boolean {
    return this.items.length === 0 && this.lookup === 'no' && !this.isLookingUp;
  }

  get isBeyond(): boolean {
    return this.lookup === 'later';
  }

  get needsLookup(): boolean {
    return this.lookup === 'first' || (this.lookup === 'later' && this.items.length === 0);
  }

  drop(which: (item: T) => boolean): void {
    this.items = this.items.filter((item) => item === this.inHand || !which(item));
    if (!which(this.last)) return;
    this.lookup = 'no';
    this.isLookingUp = false;
    this.found = [];
  }

  shift(): void {
    this.items.shift();
  }

  nextPauseMs(): number {
    const { pauseMs } = this;
    this.pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    return pauseMs;
  }

  /** Resolves to the pause, in milliseconds, before a retry, or to undefined if no retry is needed. */
  async lookUp(): Promise<number | undefined> {
    const { further, last } = this;
    const before = [...this.items];
    if (further === undefined) return undefined;
    this.lookup = 'no';
    this.isLookingUp = true;
    try {
      const found = await further.find(last, before.includes(last) ? before : [...before, last]);
      if (!this.isLookingUp) return undefined;
      return this.merge(further, before, found);
    } catch (error) {
      if (!this.isLookingUp) return undefined;
      this.lookup = 'first';
      const pauseMs = this.nextPauseMs();
      further.failed(last, error, pauseMs);
      return pauseMs;
    } finally {
      this.isLookingUp = false;
    }
  }

  private merge(further: Further<T>, before: readonly T[], found: readonly T[]): number | undefined {
    const isIn = (list: readonly T[], item: T) => list.some((one) => further.isSame(one, item));
    const inMemory = (item: T) => this.items.find((one) => further.isSame(one, item));
    const next = found.flatMap((item) => inMemory(item) ?? (isIn(this.found, item) ? [] : item));
    // An item is in memory twice if it was delivered again while it was in progress and the first attempt then failed,
    // because a failed item stays in the queue.
    for (const item of this.items) {
      const first = inMemory(item);
      if (first !== undefined && first !== item) further.join(first, item);
    }
    const others = this.items.filter((item) => !isIn(found, item) && inMemory(item) === item);
    this.found = found;
    if (found.length < further.most) {
      // Of the items that the look-up did not find, those in memory before it come first, because they began earlier.
      // Those that arrived during the look-up come last.
      this.items = [
        ...others.filter((item) => before.includes(item)),
        ...next,
        ...others.filter((item) => !before.includes(item)),
      ];
      return undefined;
    }
    this.items = next;
    this.lookup = 'later';
    for (const item of others) further.leave(item);
    return next.length === 0 ? this.nextPauseMs() : undefined;
  }
}
