import { sizeOf } from '../../../kernel/json/size-of.js';
import type { Document } from '../../../kernel/record/projection.js';

/** A record as its events folded up to one of them. */
export interface Fold {
  /** -1: before the first event. */
  readonly revision: number;
  /** Of that event; null before the first. */
  readonly position: number | null;
  readonly at: string | null;
  /** The latest time of this and all earlier events, in milliseconds: a clock that was set back does not set it back. */
  readonly latest: number;
  readonly state: Document | undefined;
}

export const beginning: Fold = { revision: -1, position: null, at: null, latest: -Infinity, state: undefined };

interface Sized {
  readonly fold: Fold;
  /** About how much memory it takes. */
  readonly bytes: number;
}

interface Kept {
  /** Ascending by revision. */
  readonly folds: readonly Sized[];
  /** Between two of them. Doubled when a record's folds take too much room. */
  readonly every: number;
  readonly bytes: number;
}

const MB = 1024 * 1024;
const first = 64;

/**
 * Some folds of long streams, so that a question about the past folds the events after the nearest one alone. They are
 * made as streams are folded for questions, kept in memory, and bounded by bytes; those that were not asked about for
 * longest go first. Recorded events never change, so what is kept is never wrong.
 */
export class KeptFolds {
  private readonly streams = new Map<string, Kept>();
  private bytes = 0;

  constructor(
    private readonly mostBytes = 32 * MB,
    private readonly mostOfOne = 8 * MB,
  ) {}

  get bytesKept(): number {
    return this.bytes;
  }

  /** The last kept one that is at or before what is asked for. `isBefore` holds for a beginning of the stream. */
  nearest(stream: string, isBefore: (fold: Fold) => boolean): Fold {
    const kept = this.streams.get(stream);
    if (kept === undefined) return beginning;
    this.streams.delete(stream);
    this.streams.set(stream, kept);
    let low = 0;
    let high = kept.folds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = kept.folds[middle];
      if (at !== undefined && isBefore(at.fold)) low = middle + 1;
      else high = middle;
    }
    return kept.folds[low - 1]?.fold ?? beginning;
  }

  /** Keeps the fold if it is one of those to be kept. */
  offer(stream: string, fold: Fold): void {
    const kept = this.streams.get(stream) ?? { folds: [], every: first, bytes: 0 };
    const last = kept.folds.at(-1)?.fold.revision ?? -1;
    if (fold.revision <= last || (fold.revision + 1) % kept.every !== 0) return;
    const bytes = 2 * (sizeOf(fold.state) + overhead);
    this.put(stream, this.thinned({ ...kept, folds: [...kept.folds, { fold, bytes }], bytes: kept.bytes + bytes }));
    for (const oldest of this.streams.keys()) {
      if (this.bytes <= this.mostBytes) break;
      this.forget(oldest);
    }
  }

  private thinned(kept: Kept): Kept {
    if (kept.bytes <= this.mostOfOne) return kept;
    const every = kept.every * 2;
    const folds = kept.folds.filter(({ fold }) => (fold.revision + 1) % every === 0);
    return { every, folds, bytes: folds.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  private put(stream: string, kept: Kept): void {
    this.forget(stream);
    this.streams.set(stream, kept);
    this.bytes += kept.bytes;
  }

  private forget(stream: string): void {
    this.bytes -= this.streams.get(stream)?.bytes ?? 0;
    this.streams.delete(stream);
  }
}

const overhead = 100;
