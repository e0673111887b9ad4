export interface Queued {
  readonly workspace: string;
  /** Within a workspace, items with a depth above 0 come first, the deepest one before the others. */
  readonly depth: number;
  /** Among a workspace's items of depth 0, lower ranks come first. Default: the order of arrival. */
  readonly rank?: number;
}

interface Line<T> {
  readonly nested: T[];
  readonly others: T[];
}

/**
 * Serves workspaces in turn (round-robin), so that many items of one workspace delay each other workspace by a single
 * item.
 */
export class FairQueue<T extends Queued> {
  private readonly lines = new Map<string, Line<T>>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  sizeOf(workspace: string): number {
    const line = this.lines.get(workspace);
    return line === undefined ? 0 : line.nested.length + line.others.length;
  }

  add(item: T): void {
    const line = this.lines.get(item.workspace) ?? { nested: [], others: [] };
    this.lines.set(item.workspace, line);
    if (item.depth === 0) {
      const { rank = 0 } = item;
      const after = line.others.findLastIndex((other) => (other.rank ?? 0) <= rank);
      line.others.splice(after + 1, 0, item);
    } else {
      const behind = line.nested.findIndex(({ depth }) => depth < item.depth);
      line.nested.splice(behind < 0 ? line.nested.length : behind, 0, item);
    }
    this.count += 1;
  }

  /** Checks only the first items of each workspace, so an item that has to wait does not delay other workspaces. */
  find(mayStart: (item: T) => boolean): T | undefined {
    for (const { nested, others } of this.lines.values())
      for (const head of [nested[0], others[0]]) if (head && mayStart(head)) return head;
    return undefined;
  }

  remove(item: T): void {
    const line = this.lines.get(item.workspace);
    if (!line || !this.takeOut(item)) return;
    this.lines.delete(item.workspace);
    if (line.nested.length + line.others.length > 0) this.lines.set(item.workspace, line);
  }

  /** Unlike `remove`, does not move the workspace to the end of the order. Returns whether the item was queued. */
  takeOut(item: T): boolean {
    const line = this.lines.get(item.workspace);
    const items = item.depth === 0 ? line?.others : line?.nested;
    const at = items?.indexOf(item) ?? -1;
    if (!line || !items || at < 0) return false;
    items.splice(at, 1);
    this.count -= 1;
    if (line.nested.length + line.others.length === 0) this.lines.delete(item.workspace);
    return true;
  }

  clear(): readonly T[] {
    const all = [...this.lines.values()].flatMap(({ nested, others }) => [...nested, ...others]);
    this.lines.clear();
    this.count = 0;
    return all;
  }
}
