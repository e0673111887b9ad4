export interface Queued {
  readonly workspace: string;
  /** Another run waits for it, so it goes before what its own workspace has queued otherwise. */
  readonly nested: boolean;
}

/** Serves workspaces in turn, so that a flood from one delays the others by one place each and no more. */
export class FairQueue<T extends Queued> {
  /** In the order of turns: who has been served goes to the end. */
  private readonly lines = new Map<string, { readonly nested: T[]; readonly others: T[] }>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  add(item: T): void {
    const line = this.lines.get(item.workspace) ?? { nested: [], others: [] };
    this.lines.set(item.workspace, line);
    (item.nested ? line.nested : line.others).push(item);
    this.count += 1;
  }

  /** Only the heads of the lines are asked about: what may not start holds up its own line alone. */
  find(mayStart: (item: T) => boolean): T | undefined {
    for (const { nested, others } of this.lines.values())
      for (const head of [nested[0], others[0]]) if (head && mayStart(head)) return head;
    return undefined;
  }

  /** Takes out what `find` has answered. */
  remove(item: T): void {
    const line = this.lines.get(item.workspace);
    const items = item.nested ? line?.nested : line?.others;
    if (!line || items?.[0] !== item) return;
    items.shift();
    this.count -= 1;
    this.lines.delete(item.workspace);
    if (line.nested.length + line.others.length > 0) this.lines.set(item.workspace, line);
  }

  clear(): readonly T[] {
    const all = [...this.lines.values()].flatMap(({ nested, others }) => [...nested, ...others]);
    this.lines.clear();
    this.count = 0;
    return all;
  }
}
