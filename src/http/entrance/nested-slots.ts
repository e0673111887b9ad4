/** Whose places one takes, from the widest share to the narrowest, such as a workspace, a site and an address at it. */
export type Shares = readonly string[];

/** Gives the place back. To be called once. */
export type Leave = () => void;

interface Waiting {
  readonly keys: readonly string[];
  start(leave: Leave): void;
}

/**
 * A number of places, of which every share has at most so many. One who waits is passed by others only while a share of
 * their own is full.
 */
export class NestedSlots {
  private readonly held = new Map<string, number>();
  private waiting: Waiting[] = [];

  /** @param most how many there are in all, and how many a share of each width has */
  constructor(private readonly most: readonly [number, ...number[]]) {}

  /** Undefined: none is free. */
  take(shares: Shares): Leave | undefined {
    const keys = keysOf(shares);
    return this.isFree(keys) ? this.begin(keys) : undefined;
  }

  wait(shares: Shares): Promise<Leave> {
    const keys = keysOf(shares);
    if (this.isFree(keys)) return Promise.resolve(this.begin(keys));
    return new Promise((start) => this.waiting.push({ keys, start }));
  }

  private isFree(keys: readonly string[]): boolean {
    return keys.every((key, at) => (this.held.get(key) ?? 0) < (this.most[at] ?? 0));
  }

  private begin(keys: readonly string[]): Leave {
    for (const key of keys) this.held.set(key, (this.held.get(key) ?? 0) + 1);
    return () => {
      for (const key of keys) {
        const left = (this.held.get(key) ?? 0) - 1;
        if (left > 0) this.held.set(key, left);
        else this.held.delete(key);
      }
      this.next();
    };
  }

  private next(): void {
    const at = this.waiting.findIndex(({ keys }) => this.isFree(keys));
    const [first] = at < 0 ? [] : this.waiting.splice(at, 1);
    first?.start(this.begin(first.keys));
  }
}

/** That of all, and of each share within the wider ones. */
const keysOf = (shares: Shares): readonly string[] => [
  '',
  ...shares.map((_, at) => JSON.stringify(shares.slice(0, at + 1))),
];
