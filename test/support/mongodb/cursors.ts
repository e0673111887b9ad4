import { setTimeout as sleep } from 'node:timers/promises';
import { Long } from 'bson';
import type { HeldCollection } from './held-collection.js';
import { Refusal } from './refusal.js';
import { type Fields, zero } from './wire.js';

interface Open {
  readonly namespace: string;
  readonly rows: readonly Fields[];
}

/** A tailable cursor of a capped collection. */
interface Tail {
  readonly namespace: string;
  readonly held: HeldCollection;
  at: number;
}

const bytesOfABatch = 16 * 1024 * 1024;

/** The open cursors, with the rows that were found but not fetched yet. */
export class Cursors {
  private readonly waiting = new Map<string, Open>();
  private readonly tails = new Map<string, Tail>();
  private readonly lost = new Set<string>();
  private last = 0;

  open(namespace: string, rows: readonly Fields[], batchSize: number): Fields {
    return { cursor: { ...this.left(namespace, rows, batchSize), firstBatch: fitting(rows, batchSize) } };
  }

  /** As in MongoDB, a tailable cursor on an empty collection ends at once. */
  tail(namespace: string, held: HeldCollection, batchSize: number): Fields {
    const tail = { namespace, held, at: held.forgotten };
    const firstBatch = taken(tail, batchSize);
    if (firstBatch.length === 0) return { cursor: { id: zero, ns: namespace, firstBatch } };
    this.last += 1;
    this.tails.set(String(this.last), tail);
    return { cursor: { id: Long.fromNumber(this.last), ns: namespace, firstBatch } };
  }

  async more({ getMore, batchSize, maxTimeMS }: Fields): Promise<Fields> {
    const key = String(getMore);
    const tail = this.tails.get(key);
    if (tail !== undefined) {
      const until = performance.now() + Number(maxTimeMS ?? 1_000);
      while (tail.at === tail.held.order.length && performance.now() < until && !this.lost.has(key)) await sleep(2);
      if (tail.at < tail.held.forgotten) {
        this.tails.delete(key);
        throw new Refusal(
          136,
          'CappedPositionLost',
          'CollectionScan died due to position in capped collection being deleted',
        );
      }
      if (!this.lost.has(key)) {
        const nextBatch = taken(tail, Number(batchSize ?? Number.MAX_SAFE_INTEGER));
        return { cursor: { id: Long.fromString(key), ns: tail.namespace, nextBatch } };
      }
    }
    const open = this.waiting.get(key);
    if (this.lost.has(key)) throw new Refusal(175, 'QueryPlanKilled', 'collection dropped between getMore calls');
    if (open === undefined) throw new Refusal(43, 'CursorNotFound', `cursor id ${key} not found`);
    this.waiting.delete(key);
    const size = Number(batchSize ?? Number.MAX_SAFE_INTEGER);
    return { cursor: { ...this.left(open.namespace, open.rows, size), nextBatch: fitting(open.rows, size) } };
  }

  kill({ cursors }: Fields): Fields {
    const keys = cursors as readonly unknown[];
    return { cursorsKilled: keys.filter((key) => this.waiting.delete(String(key)) || this.tails.delete(String(key))) };
  }

  /** Ends the cursors of a collection that was dropped. */
  lose(namespace: string): void {
    for (const [key, open] of [...this.waiting, ...this.tails]) {
      if (open.namespace !== namespace) continue;
      this.waiting.delete(key);
      this.tails.delete(key);
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

function taken(tail: Tail, batchSize: number): readonly Fields[] {
  const batch = fitting(
    tail.held.order.slice(tail.at).map(({ document }) => document),
    batchSize,
  );
  tail.at += batch.length;
  return batch;
}

/** Returns the rows of the next batch. A batch is limited by its size and by that of a message. */
function fitting(rows: readonly Fields[], batchSize: number): readonly Fields[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += JSON.stringify(row).length;
    return index >= batchSize || (index > 0 && bytes > bytesOfABatch);
  });
  return end === -1 ? rows : rows.slice(0, end);
}
