import type { ToChild } from '../../../sandbox/protocol.js';

type Naming = Pick<Extract<ToChild, { t: 'run' }>, 'isolate' | 'source' | 'evict'>;

/** Records the isolates in one child. The parent decides which are created and evicted. */
export class IsolateLedger {
  /** Least recently used first. */
  private readonly isolates = new Map<string, { readonly id: number; readonly source: string }>();
  private last = 0;

  constructor(private readonly most: number) {}

  holds(key: string): boolean {
    return this.isolates.has(key);
  }

  /**
   * Chooses the isolate for a run, and the isolates to evict. Different keys never share an isolate. If the code of a
   * key has changed, the key gets a new isolate.
   */
  use(key: string, source: string): Naming {
    const evict: number[] = [];
    const known = this.isolates.get(key);
    this.isolates.delete(key);
    if (known?.source === source) {
      this.isolates.set(key, known);
      return { isolate: known.id, evict };
    }
    if (known) evict.push(known.id);
    for (const [oldest, { id }] of this.isolates) {
      if (this.isolates.size < this.most) break;
      this.isolates.delete(oldest);
      evict.push(id);
    }
    this.last += 1;
    this.isolates.set(key, { id: this.last, source });
    return { isolate: this.last, source, evict };
  }
}
