import { sizeOf } from '../../../kernel/json/size-of.js';
import type { Document } from '../../../kernel/record/projection.js';

export interface Fold {
  /** -1 if no event has been folded. */
  readonly revision: number;
  /** Position in the log; null if no event has been folded. */
  readonly position: number | null;
  readonly at: string | null;
  /**
   * The latest time of this and all earlier events, in milliseconds. Unlike `at`, `latest` never decreases, even if a
   * clock was set back.
   */
  readonly latest: number;
  readonly state: Document | undefined;
}

export const emptyFold: Fold = { revision: -1, position: null, at: null, latest: -Infinity, state: undefined };

interface SizedFold {
  readonly fold: Fold;
  /** Estimated size in memory, in bytes. */
  readonly bytes: number;
}

interface StreamFolds {
  /** Sorted by revision, ascending. */
  readonly folds: readonly SizedFold[];
  readonly every: number;
  readonly bytes: number;
}

const MB = 1024 * 1024;
const smallestInterval = 64;

/**
 * Snapshots are taken while events are folded to find a past state, and the least recently used are evicted. They are
 * never invalidated, because recorded events do not change.
 */
export class FoldCache {
  private readonly streams = new Map<string, StreamFolds>();
  private bytes = 0;

  constructor(
    private readonly mostBytes = 32 * MB,
    private readonly mostOfOne = 8 * MB,
  ) {}

  get cachedBytes(): number {
    return this.bytes;
  }

  nearest(stream: string, isBefore: (fold: Fold) => boolean): Fold {
    const stored = this.streams.get(stream);
    if (stored === undefined) return emptyFold;
    this.streams.delete(stream);
    this.streams.set(stream, stored);
    let low = 0;
    let high = stored.folds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = stored.folds[middle];
      if (at !== undefined && isBefore(at.fold)) low = middle + 1;
      else high = middle;
    }
    return stored.folds[low - 1]?.fold ?? emptyFold;
  }

  offer(stream: string, fold: Fold): void {
    const stored = this.streams.get(stream) ?? { folds: [], every: smallestInterval, bytes: 0 };
    const last = stored.folds.at(-1)?.fold.revision ?? -1;
    if (fold.revision <= last || (fold.revision + 1) % stored.every !== 0) return;
    const bytes = 2 * (sizeOf(fold.state) + overhead);
    this.put(
      stream,
      this.thinned({ ...stored, folds: [...stored.folds, { fold, bytes }], bytes: stored.bytes + bytes }),
    );
    for (const oldest of this.streams.keys()) {
      if (this.bytes <= this.mostBytes) break;
      this.forget(oldest);
    }
  }

  private thinned(stored: StreamFolds): StreamFolds {
    if (stored.bytes <= this.mostOfOne) return stored;
    const every = stored.every * 2;
    const folds = stored.folds.filter(({ fold }) => (fold.revision + 1) % every === 0);
    return { every, folds, bytes: folds.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  private put(stream: string, stored: StreamFolds): void {
    this.forget(stream);
    this.streams.set(stream, stored);
    this.bytes += stored.bytes;
  }

  private forget(stream: string): void {
    this.bytes -= this.streams.get(stream)?.bytes ?? 0;
    this.streams.delete(stream);
  }
}

const overhead = 100;
