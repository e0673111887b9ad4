/** The sum of all weights is bounded. The least recently used values are evicted first. */
export class BoundedCache<Value> {
  private readonly values = new Map<string, Value>();
  private weight = 0;

  constructor(
    private readonly most: number,
    private readonly weightOf: (value: Value) => number,
  ) {}

  get(name: string): Value | undefined {
    const value = this.values.get(name);
    if (value === undefined) return undefined;
    this.values.delete(name);
    this.values.set(name, value);
    return value;
  }

  /** A value heavier than the bound is not stored. */
  set(name: string, value: Value): void {
    this.delete(name);
    this.values.set(name, value);
    this.weight += this.weightOf(value);
    for (const oldest of this.values.keys()) {
      if (this.weight <= this.most) return;
      this.delete(oldest);
    }
  }

  clear(): void {
    this.values.clear();
    this.weight = 0;
  }

  delete(name: string): void {
    const value = this.values.get(name);
    if (value === undefined) return;
    this.values.delete(name);
    this.weight -= this.weightOf(value);
  }
}
