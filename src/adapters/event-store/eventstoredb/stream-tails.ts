import type { EventReader } from './event-reader.js';
import type { EventPosition } from './repetition.js';

/** Maximum numbers of ids per stream and of streams in the cache. The cache uses some ten megabytes at most. */
const length = 256;
const streams = 300;

export class StreamTails {
  private readonly cache = new Map<string, readonly EventPosition[]>();

  constructor(private readonly reader: Pick<EventReader, 'stream'>) {}

  /** Returns the last events of the stream, at most 256, oldest first. */
  async tailOf(stream: string): Promise<readonly EventPosition[]> {
    const known = this.cache.get(stream)?.at(-1)?.revision;
    const fresh = await this.since(stream, known);
    // During the read, another call can have added events to the cache. If an append has removed the stream from the
    // cache, events up to `known` are missing, so the stream is read again.
    const before = this.cache.get(stream) ?? [];
    if (known !== undefined && before.length === 0) return this.tailOf(stream);
    const last = before.at(-1)?.revision ?? -1;
    const tail = [...before, ...fresh.filter(({ revision }) => revision > last)].slice(-length);
    this.remember(stream, tail);
    return tail;
  }

  known(stream: string): readonly EventPosition[] | undefined {
    return this.cache.get(stream);
  }

  appended(stream: string, appended: readonly EventPosition[]): void {
    const before = this.cache.get(stream);
    const [first] = appended;
    if (before === undefined || first === undefined) return;
    const last = before.at(-1)?.revision ?? -1;
    if ((appended.at(-1)?.revision ?? -1) <= last) return;
    if (first.revision === last + 1) this.remember(stream, [...before, ...appended].slice(-length));
    else this.forget(stream);
  }

  forget(stream: string): void {
    this.cache.delete(stream);
  }

  private async since(stream: string, revision: number | undefined): Promise<readonly EventPosition[]> {
    if (revision !== undefined) {
      const newer = await this.reader.stream(stream, { from: revision + 1, limit: length });
      if (newer.length < length) return newer.map(placeOf);
    }
    const newest = await this.reader.stream(stream, { direction: 'backward', limit: length });
    return newest.toReversed().map(placeOf);
  }

  private remember(stream: string, tail: readonly EventPosition[]): void {
    this.cache.delete(stream);
    this.cache.set(stream, tail);
    for (const oldest of this.cache.keys()) {
      if (this.cache.size <= streams) return;
      this.cache.delete(oldest);
    }
  }
}

const placeOf = ({ id, revision, position }: EventPosition): EventPosition => ({ id, revision, position });
