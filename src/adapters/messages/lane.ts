/** Where more of a key is found than is held. `T` are items of one key. */
export interface Further<T> {
  /** How many of a key are held; what comes beyond that is left. */
  readonly most: number;
  /** What is to be done next, oldest first, at most `most`. `known`: what is held and what came last, one at least. */
  find(last: T, known: readonly T[]): Promise<readonly T[]>;
  isSame(one: T, other: T): boolean;
  /** The double of an item that waits. */
  join(waiting: T, double: T): void;
  /** It is not held, because it will be found. */
  leave(item: T): void;
  failed(last: T, error: unknown, pauseMs: number): void;
}

export const firstPauseMs = 500;
const longestPauseMs = 30_000;

/** Whether there may be more than is held: `first` if that may come before what is held. */
type Asks = 'no' | 'later' | 'first';

/** The items of one key, oldest first. The first stays in the list while it is handled or pauses. */
export class Lane<T> {
  items: T[] = [];
  inHand: T | undefined;
  pauseMs = firstPauseMs;
  endPause: (() => void) | undefined;
  private asks: Asks = 'no';
  private asking = false;
  /** What the last look-up found. Whatever of it is found once more is done with, or cannot be done here. */
  private found: readonly T[] = [];

  constructor(
    readonly key: string,
    private readonly further: Further<T> | undefined,
    private last: T,
  ) {}

  /** `asksFirst`: earlier ones may be missing. */
  add(item: T, asksFirst: boolean): void {
    this.last = item;
    const { further } = this;
    if (further === undefined) return void this.items.push(item);
    if (asksFirst) this.asks = 'first';
    const waiting = this.items.find((one) => one !== this.inHand && further.isSame(one, item));
    if (waiting !== undefined) further.join(waiting, item);
    else if (this.asks !== 'later' && this.items.length < further.most) this.items.push(item);
    else {
      if (this.asks === 'no') this.asks = 'later';
      further.leave(item);
    }
  }

  get isEmpty(): boolean {
    return this.items.length === 0 && this.asks === 'no' && !this.asking;
  }

  /** More of the key is queued than is held. */
  get isBeyond(): boolean {
    return this.asks === 'later';
  }

  /** A look-up comes before the next item. */
  get isToAsk(): boolean {
    return this.asks === 'first' || (this.asks === 'later' && this.items.length === 0);
  }

  drop(which: (item: T) => boolean): void {
    this.items = this.items.filter((item) => item === this.inHand || !which(item));
    if (!which(this.last)) return;
    this.asks = 'no';
    this.asking = false;
    this.found = [];
  }

  shift(): void {
    this.items.shift();
  }

  /** Until the pause is over nothing of the key begins. */
  nextPauseMs(): number {
    const { pauseMs } = this;
    this.pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    return pauseMs;
  }

  /**
   * Looks up what comes next. What is held keeps its place in the order of what is found. Answers for how long to pause:
   * the look-up failed, or found only what it had found before.
   */
  async ask(): Promise<number | undefined> {
    const { further, last } = this;
    const before = [...this.items];
    if (further === undefined) return undefined;
    this.asks = 'no';
    this.asking = true;
    try {
      const found = await further.find(last, before.includes(last) ? before : [...before, last]);
      if (!this.asking) return undefined;
      return this.merge(further, before, found);
    } catch (error) {
      if (!this.asking) return undefined;
      this.asks = 'first';
      const pauseMs = this.nextPauseMs();
      further.failed(last, error, pauseMs);
      return pauseMs;
    } finally {
      this.asking = false;
    }
  }

  private merge(further: Further<T>, before: readonly T[], found: readonly T[]): number | undefined {
    const isIn = (list: readonly T[], item: T) => list.some((one) => further.isSame(one, item));
    const held = (item: T) => this.items.find((one) => further.isSame(one, item));
    const next = found.flatMap((item) => held(item) ?? (isIn(this.found, item) ? [] : item));
    // One came again while it was handled, and was rejected.
    for (const item of this.items) {
      const first = held(item);
      if (first !== undefined && first !== item) further.join(first, item);
    }
    const others = this.items.filter((item) => !isIn(found, item) && held(item) === item);
    this.found = found;
    if (found.length < further.most) {
      // What was held and is not queued any more was begun before the others; what has come meanwhile follows them.
      this.items = [
        ...others.filter((item) => before.includes(item)),
        ...next,
        ...others.filter((item) => !before.includes(item)),
      ];
      return undefined;
    }
    this.items = next;
    this.asks = 'later';
    for (const item of others) further.leave(item);
    return next.length === 0 ? this.nextPauseMs() : undefined;
  }
}
