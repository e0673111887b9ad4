import type { ToChild } from '../../../sandbox/protocol.js';

type Naming = Pick<Extract<ToChild, { t: 'run' }>, 'isolate' | 'source' | 'evict'>;

/** Which isolates one child holds. The parent decides; the child obeys. */
export class IsolateLedger {
  /** Least recently used first. */
  private readonly held = new Map<string, { readonly id: number; readonly source: string }>();
  private last = 0;

  constructor(private readonly most: number) {}

  holds(key: string): boolean {
    return this.held.has(key);
  }

  /**
   * Chooses the isolate for a run, and those to evict. Different keys never share one, and a key whose code changed
   * gets a new one.
   */
  use(key: string, source: string): Naming {
    const evict: number[] = [];
    const known = this.held.get(key);
    this.held.delete(key);
    if (known?.source === source) {
      this.held.set(key, known);
      return { isolate: known.id, evict };
    }
    if (known) evict.push(known.id);
    for (const [oldest, { id }] of this.held) {
      if (this.held.size < this.most) break;
      this.held.delete(oldest);
      evict.push(id);
    }
    this.last += 1;
    this.held.set(key, { id: this.last, source });
    return { isolate: this.last, source, evict };
  }
}
