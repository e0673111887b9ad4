interface Entry<Item> {
  readonly at: number;
  readonly item: Item;
}

export class DueQueue<Item> {
  private readonly heap: Entry<Item>[] = [];

  get nextAt(): number | undefined {
    return this.heap[0]?.at;
  }

  push(at: number, item: Item): void {
    let index = this.heap.length;
    const entry = { at, item };
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = this.heap[above];
      if (parent === undefined || parent.at <= at) break;
      this.heap[index] = parent;
      index = above;
    }
    this.heap[index] = entry;
  }

  /** `until` is inclusive. */
  takeDue(until: number): readonly Entry<Item>[] {
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

  private sink(entry: Entry<Item>): void {
    let index = 0;
    for (;;) {
      const [left, right] = [this.heap[2 * index + 1], this.heap[2 * index + 2]];
      const earlier = right !== undefined && left !== undefined && right.at < left.at ? right : left;
      if (earlier === undefined || earlier.at >= entry.at) break;
      this.heap[index] = earlier;
      index = 2 * index + (earlier === right ? 2 : 1);
    }
    this.heap[index] = entry;
  }
}
