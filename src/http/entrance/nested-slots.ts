/**
 * The shares in which a slot is counted, from the widest to the narrowest, such as a workspace, a site and a client's
 * address.
 */
export type SlotShares = readonly string[];

/** Frees the slot. Must be called once. */
export type Leave = () => void;

interface Waiting {
  readonly keys: readonly string[];
  start(leave: Leave): void;
}

/**
 * A number of slots with a limit for each share. Waiters are served in order, except that a waiter is passed over while
 * one of its shares is full.
 */
export class NestedSlots {
  private readonly held = new Map<string, number>();
  private waiting: Waiting[] = [];

  /** @param most number of all slots, followed by the limits of shares from the widest to the narrowest */
  constructor(private readonly most: readonly [number, ...number[]]) {}

  /** Takes a slot. Returns undefined if none is free. */
  take(shares: SlotShares): Leave | undefined {
    const keys = keysOf(shares);
    return this.isFree(keys) ? this.begin(keys) : undefined;
  }

  wait(shares: SlotShares): Promise<Leave> {
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

/** Returns the key for all slots, followed by the key of each share within the wider ones. */
const keysOf = (shares: SlotShares): readonly string[] => [
  '',
  ...shares.map((_, at) => JSON.stringify(shares.slice(0, at + 1))),
];
