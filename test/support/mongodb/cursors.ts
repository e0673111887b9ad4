import { Long } from 'bson';
import { Refusal } from './refusal.js';
import { type Fields, zero } from './wire.js';

interface Open {
  readonly namespace: string;
  readonly rows: readonly Fields[];
}

const bytesOfABatch = 16 * 1024 * 1024;

/** What was found and not yet fetched. */
export class Cursors {
  private readonly waiting = new Map<string, Open>();
  private readonly lost = new Set<string>();
  private last = 0;

  open(namespace: string, rows: readonly Fields[], batchSize: number): Fields {
    return { cursor: { ...this.left(namespace, rows, batchSize), firstBatch: fitting(rows, batchSize) } };
  }

  more({ getMore, batchSize }: Fields): Fields {
    const key = String(getMore);
    const open = this.waiting.get(key);
    if (this.lost.has(key)) throw new Refusal(175, 'QueryPlanKilled', 'collection dropped between getMore calls');
    if (open === undefined) throw new Refusal(43, 'CursorNotFound', `cursor id ${key} not found`);
    this.waiting.delete(key);
    const size = Number(batchSize ?? Number.MAX_SAFE_INTEGER);
    return { cursor: { ...this.left(open.namespace, open.rows, size), nextBatch: fitting(open.rows, size) } };
  }

  kill({ cursors }: Fields): Fields {
    const keys = cursors as readonly unknown[];
    return { cursorsKilled: keys.filter((key) => this.waiting.delete(String(key))) };
  }

  /** The collection was dropped. */
  lose(namespace: string): void {
    for (const [key, open] of this.waiting) {
      if (open.namespace !== namespace) continue;
      this.waiting.delete(key);
      this.lost.add(key);
    }
  }

  private left(namespace: string, rows: readonly Fields[], batchSize: number): Fields {
    const rest = rows.slice(fitting(rows, batchSize).length);
    if (rest.length === 0) return { id: zero, ns: namespace };
    this.last += 1;
    this.waiting.set(String(this.last), { namespace, rows: rest });
    return { id: Long.fromNumber(this.last), ns: namespace };
  }
}

/** A batch ends at its size or at the largest message. */
function fitting(rows: readonly Fields[], batchSize: number): readonly Fields[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += JSON.stringify(row).length;
    return index >= batchSize || (index > 0 && bytes > bytesOfABatch);
  });
  return end === -1 ? rows : rows.slice(0, end);
}
