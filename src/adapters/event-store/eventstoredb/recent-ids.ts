import type { AppendBytes } from './append-messages.js';
import type { Place } from './repetition.js';

const remembered = 20_000;

/**
 * Positions of events that this process has recently written or read. The server compares ids only if the expected
 * revision is in the past. A repetition at the stream's end is usually recognised here, because the process has read
 * the events.
 */
export class RecentIds {
  /** By event id; oldest first. */
  private readonly places = new Map<string, Place & { readonly stream: string }>();

  add(stream: string, events: Iterable<Place>): void {
    for (const { id, revision, position } of events) {
      const known = this.places.get(id);
      this.places.delete(id);
      this.places.set(id, { id, stream, revision, position: position ?? known?.position });
    }
    for (const id of this.places.keys()) {
      if (this.places.size <= remembered) break;
      this.places.delete(id);
    }
  }

  hasOneOf(ids: readonly string[]): boolean {
    return ids.some((id) => this.places.has(id));
  }

  /** The position of the request's last event, if all its events are known to be in the stream consecutively. */
  repetition({ stream, ids }: AppendBytes): Place | undefined {
    const places = ids.map((id) => this.places.get(id));
    const first = places[0]?.revision ?? 0;
    const all = places.every((place, index) => place?.stream === stream && place.revision === first + index);
    // If the position is unknown, the stream must be read anyway.
    return all && places.at(-1)?.position !== undefined ? places.at(-1) : undefined;
  }
}
