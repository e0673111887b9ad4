/** A thing that a command created: its id, and facts that later commands about it need. */
export interface Thing {
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has facts of its own.
  readonly [fact: string]: any;
}

/** Things in the workspace, as far as they are known from the commands sent so far. */
export class World {
  private readonly pools = new Map<string, Map<string, Thing>>();

  add(kind: string, thing: Thing): void {
    const pool = this.pools.get(kind) ?? new Map<string, Thing>();
    this.pools.set(kind, pool.set(thing.id, { ...pool.get(thing.id), ...thing }));
  }

  all(kind: string): readonly Thing[] {
    return [...(this.pools.get(kind)?.values() ?? [])];
  }

  /** Removes a thing and everything that refers to it, such as the pages of a project or the rows of a table. */
  remove(kind: string, id: string): void {
    this.pools.get(kind)?.delete(id);
    for (const [other, pool] of this.pools) {
      for (const thing of pool.values()) {
        if (Object.entries(thing).some(([fact, value]) => fact !== 'id' && value === id)) this.remove(other, thing.id);
      }
    }
  }

  /** Removes the thing with this id. Its kind need not be known. */
  forget(id: string): void {
    for (const kind of this.pools.keys()) this.remove(kind, id);
  }

  kinds(): readonly string[] {
    return [...this.pools.keys()];
  }
}
