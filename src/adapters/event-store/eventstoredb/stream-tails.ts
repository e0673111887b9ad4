import type { EventReader } from './event-reader.js';

/** Where an event stands. */
export interface Place {
  readonly id: string;
  readonly revision: number;
  readonly position: number;
}

/** Events that are known of a stream, and streams that are known: some ten megabytes at most. */
const length = 256;
const streams = 300;

/**
 * The last events of busy streams, by their ids. Whoever looks there for a repetition reads what came since it was last
 * looked at, and not all of it each time.
 */
export class StreamTails {
  /** The one asked for longest ago first. */
  private readonly known = new Map<string, readonly Place[]>();

  constructor(private readonly reader: Pick<EventReader, 'stream'>) {}

  /** The last 256 events as they stand now, the oldest first. */
  async of(stream: string): Promise<readonly Place[]> {
    const fresh = await this.since(stream, this.known.get(stream)?.at(-1)?.revision);
    // Others may have looked meanwhile, and seen more or less of it.
    const before = this.known.get(stream) ?? [];
    const last = before.at(-1)?.revision ?? -1;
    const tail = [...before, ...fresh.filter(({ revision }) => revision > last)].slice(-length);
    this.remember(stream, tail);
    return tail;
  }

  /** After a longer absence all of it is read, from its end. */
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
