/** Values by name, bounded by their weight together; the least recently used are dropped first. */
export class BoundedCache<Value> {
  private readonly kept = new Map<string, Value>();
  private weight = 0;

  constructor(
    private readonly most: number,
    private readonly weightOf: (value: Value) => number,
  ) {}

  /** Counts as a use. */
  get(name: string): Value | undefined {
    const value = this.kept.get(name);
    if (value === undefined) return undefined;
    this.kept.delete(name);
    this.kept.set(name, value);
    return value;
  }

  /** Takes the place of what has the name already. More than the bound is not kept. */
  set(name: string, value: Value): void {
    this.delete(name);
    this.kept.set(name, value);
    this.weight += this.weightOf(value);
    for (const oldest of this.kept.keys()) {
      if (this.weight <= this.most) return;
      this.delete(oldest);
    }
  }

  clear(): void {
    this.kept.clear();
    this.weight = 0;
  }

  delete(name: string): void {
    const value = this.kept.get(name);
    if (value === undefined) return;
    this.kept.delete(name);
    this.weight -= this.weightOf(value);
  }
}
