interface Entry<Item> {
  readonly at: number;
  readonly item: Item;
}

/** A binary heap of items, ordered by the instant at which they are due, earliest first. */
export class DueQueue<Item> {
  private readonly heap: Entry<Item>[] = [];

  get nextAt(): number | undefined {
    return this.heap[0]?.at;
  }

  push(at: number, item: Item): void {
    let place = this.heap.length;
    const entry = { at, item };
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = this.heap[above];
      if (parent === undefined || parent.at <= at) break;
      this.heap[place] = parent;
      place = above;
    }
    this.heap[place] = entry;
  }

  /** Removes and returns all items due by then. */
  take(until: number): readonly Entry<Item>[] {
    const taken: Entry<Item>[] = [];
    for (let first = this.heap[0]; first !== undefined && first.at <= until; first = this.heap[0]) {
      taken.push(first);
      const last = this.heap.pop();
      if (last !== undefined && this.heap.length > 0) this.sink(last);
    }
    return taken;
  }

  clear(): void {
    this.heap.length = 0;
  }

  /** Places the entry at the top, then moves it down until everything below it is due later. */
  private sink(entry: Entry<Item>): void {
    let place = 0;
    for (;;) {
      const [left, right] = [this.heap[2 * place + 1], this.heap[2 * place + 2]];
      const earlier = right !== undefined && left !== undefined && right.at < left.at ? right : left;
      if (earlier === undefined || earlier.at >= entry.at) break;
      this.heap[place] = earlier;
      place = 2 * place + (earlier === right ? 2 : 1);
    }
    this.heap[place] = entry;
  }
}
