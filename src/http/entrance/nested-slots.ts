/**
 * Names the groups to which a caller belongs, from the widest to the narrowest: for example, a workspace, one of its
 * sites, and a client's address at that site. Each group may use only a share of the slots.
 */
export type SlotShares = readonly string[];

/** Must be called exactly once. */
export type Leave = () => void;

interface Waiting {
  readonly keys: readonly string[];
  start(leave: Leave): void;
}

/**
 * A semaphore with a limit for each share in addition to the total. Waiters are served in order, but those whose share
 * is full are passed over.
 */
export class NestedSlots {
  private readonly used = new Map<string, number>();
  private waiting: Waiting[] = [];

  /**
   * @param most total number of slots, followed by the limits of a share at each level, from the widest to the
   * narrowest
   */
  constructor(private readonly most: readonly [number, ...number[]]) {}

  /** Does not wait. Returns undefined if no slot is free. */
  acquire(shares: SlotShares): Leave | undefined {
    const keys = keysOf(shares);
    return this.isFree(keys) ? this.begin(keys) : undefined;
  }

  wait(shares: SlotShares): Promise<Leave> {
    const keys = keysOf(shares);
    if (this.isFree(keys)) return Promise.resolve(this.begin(keys));
    return new Promise((start) => this.waiting.push({ keys, start }));
  }

  private isFree(keys: readonly string[]): boolean {
    return keys.every((key, at) => (this.used.get(key) ?? 0) < (this.most[at] ?? 0));
  }

  private begin(keys: readonly string[]): Leave {
    for (const key of keys) this.used.set(key, (this.used.get(key) ?? 0) + 1);
    return () => {
      for (const key of keys) {
        const left = (this.used.get(key) ?? 0) - 1;
        if (left > 0) this.used.set(key, left);
        else this.used.delete(key);
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

const keysOf = (shares: SlotShares): readonly string[] => [
  '',
  ...shares.map((_, at) => JSON.stringify(shares.slice(0, at + 1))),
];
