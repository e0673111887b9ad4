import type { AppendBytes } from './append-messages.js';
import type { EventPosition } from './repetition.js';

const remembered = 20_000;

/**
 * Remembers the ids of events that this process has written or read, to recognise repeated appends. The server
 * recognises a repeated append only if it expects an older revision than the stream's last one, because otherwise the
 * server does not compare ids.
 */
export class RecentIds {
  private readonly positions = new Map<string, EventPosition & { readonly stream: string }>();

  add(stream: string, events: Iterable<EventPosition>): void {
    for (const { id, revision, position } of events) {
      const known = this.positions.get(id);
      this.positions.delete(id);
      this.positions.set(id, { id, stream, revision, position: position ?? known?.position });
    }
    for (const id of this.positions.keys()) {
      if (this.positions.size <= remembered) break;
      this.positions.delete(id);
    }
  }

  hasOneOf(ids: readonly string[]): boolean {
    return ids.some((id) => this.positions.has(id));
  }

  repetition({ stream, ids }: AppendBytes): EventPosition | undefined {
    const found = ids.map((id) => this.positions.get(id));
    const first = found[0]?.revision ?? 0;
    const all = found.every((entry, index) => entry?.stream === stream && entry.revision === first + index);
    // If the position of the last event is unknown, returns undefined, so that the caller reads the stream.
    return all && found.at(-1)?.position !== undefined ? found.at(-1) : undefined;
  }
}
