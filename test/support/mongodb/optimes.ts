import { EventEmitter, once } from 'node:events';
import { Binary, Long, Timestamp } from 'bson';
import type { Fields } from './wire.js';

/**
 * What is delayed in the set. `writes`: the members do not confirm writes. `news`: members other than the primary do
 * not learn which writes were confirmed.
 */
export type Lag = 'writes' | 'news';

/**
 * The times of writes, counted from one, and the time up to which a majority of the members has them. The primary knows
 * that time at once and the others later, so a new primary may still read an older state.
 */
export class OpTimes {
  last = 0;
  /** Number of reads that wait until their member knows that a majority has the requested state. */
  waiting = 0;
  /** Time up to which a majority has the writes. */
  private majority = 0;
  private readonly known: number[];
  private readonly news = new EventEmitter().setMaxListeners(0);
  private lag: Lag | undefined;

  constructor(
    members: number,
    private readonly primary: () => number | undefined,
  ) {
    this.known = Array.from({ length: members }, () => 0);
  }

  /** Returns the time of the next write. */
  next(): number {
    this.last += 1;
    this.tell();
    return this.last;
  }

  /** Returns the time up to which this member can answer reads with the concern majority. */
  readable(member: number): number {
    return this.known[member] ?? 0;
  }

  /** Time before which no read needs the data any more. */
  get oldest(): number {
    return Math.min(...this.known);
  }

  trail(lag: Lag | undefined): void {
    this.lag = lag;
    this.tell();
  }

  /** Waits until a majority has the write. Returns false if that takes longer. */
  confirmed(time: number, patienceMs: number): Promise<boolean> {
    return this.until(() => this.majority >= time, patienceMs);
  }

  /** Waits until this member knows that a majority has the write. Returns false if that takes longer. */
  async heard(member: number, time: number, patienceMs: number): Promise<boolean> {
    this.waiting += 1;
    try {
      return await this.until(() => this.readable(member) >= time, patienceMs);
    } finally {
      this.waiting -= 1;
    }
  }

  private tell(): void {
    if (this.lag !== 'writes') this.majority = this.last;
    const primary = this.primary();
    for (const member of this.known.keys()) {
      if (this.lag !== 'news' || member === primary) this.known[member] = this.majority;
    }
    this.news.emit('news');
  }

  private async until(holds: () => boolean, patienceMs: number): Promise<boolean> {
    const patience = AbortSignal.timeout(patienceMs);
    while (!holds()) {
      const heard = await once(this.news, 'news', { signal: patience }).then(
        () => true,
        () => false,
      );
      if (!heard) return holds();
    }
    return true;
  }
}

/** Returns the times that the server adds to each response. */
export function timesOf(operation: number, cluster: number): Fields {
  const signature = { hash: new Binary(new Uint8Array(20)), keyId: Long.fromNumber(0) };
  return { operationTime: timestamp(operation), $clusterTime: { clusterTime: timestamp(cluster), signature } };
}

const timestamp = (time: number) => new Timestamp({ t: 1, i: time });

export const countOf = (time: unknown): number => (time instanceof Timestamp ? time.i : 0);
