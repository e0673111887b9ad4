import type { EventReader } from './event-reader.js';

/** An event's place in the stream and the log. */
export interface Place {
  readonly id: string;
  readonly revision: number;
  readonly position: number;
}

/** Cached events per stream, and cached streams: some ten megabytes at most. */
const length = 256;
const streams = 300;

/**
 * The ids of the last events of busy streams. A search for a repetition reads only the events since the last search.
 */
export class StreamTails {
  /** Least recently used first. */
  private readonly known = new Map<string, readonly Place[]>();

  constructor(private readonly reader: Pick<EventReader, 'stream'>) {}

  /** The last 256 events, oldest first. */
  async of(stream: string): Promise<readonly Place[]> {
    const fresh = await this.since(stream, this.known.get(stream)?.at(-1)?.revision);
    // Another search may have updated the cache meanwhile.
    const before = this.known.get(stream) ?? [];
    const last = before.at(-1)?.revision ?? -1;
    const tail = [...before, ...fresh.filter(({ revision }) => revision > last)].slice(-length);
    this.remember(stream, tail);
    return tail;
  }

  /** If too many events were added, all 256 are read again from the end. */
  private async since(stream: string, revision: number | undefined): Promise<readonly Place[]> {
    if (revision !== undefined) {
      const newer = await this.reader.stream(stream, { from: revision + 1, limit: length });
      if (newer.length < length) return newer.map(placeOf);
    }
    const newest = await this.reader.stream(stream, { direction: 'backward', limit: length });
    return newest.toReversed().map(placeOf);
  }

  private remember(stream: string, tail: readonly Place[]): void {
    this.known.delete(stream);
    this.known.set(stream, tail);
    for (const oldest of this.known.keys()) {
      if (this.known.size <= streams) return;
      this.known.delete(oldest);
    }
  }
}

const placeOf = ({ id, revision, position }: Place): Place => ({ id, revision, position });
