import { randomUUID } from 'node:crypto';
import { EventStoreUnavailable, type ExpectedRevision } from '../../../ports/event-store.port.js';
import { eventBytes } from './append-messages.js';
import type { Connection } from './connection.js';
import type { EventReader } from './event-reader.js';

interface StreamMetadata {
  readonly expected: ExpectedRevision;
  readonly values: Readonly<Record<string, unknown>>;
}

const tries = 10;

/** Prunes a stream by `$tb` (truncate before) in its metadata. The server frees the space when it scavenges. */
export class StreamRetention {
  constructor(
    private readonly connection: Connection,
    private readonly reader: EventReader,
  ) {}

  async truncate(stream: string, beforeRevision: number): Promise<void> {
    const [last] = await this.reader.stream(stream, { direction: 'backward', limit: 1 });
    // If the stream is empty or completely pruned, `$tb` is not written, because it could prune future events.
    if (last === undefined) return;
    const before = Math.min(beforeRevision, last.revision + 1);
    for (let attempt = 1; ; attempt += 1) {
      const { expected, values } = await this.metadata(stream);
      if (before <= Number(values['$tb'] ?? 0)) return;
      if (await this.write(stream, expected, { ...values, $tb: before })) return;
      if (attempt === tries)
        throw new EventStoreUnavailable('Too many processes change the retention of this stream at once; try again.');
    }
  }

  private async metadata(stream: string): Promise<StreamMetadata> {
    const [event] = await this.reader.raw(this.metadataOf(stream), 'end', 'backward', 1);
    const written = event?.getEvent();
    if (written === undefined) return { expected: 'none', values: {} };
    const values = JSON.parse(Buffer.from(written.getData_asU8()).toString('utf8')) as StreamMetadata['values'];
    return { expected: Number(written.getStreamRevision()), values };
  }

  private metadataOf(stream: string): string {
    return `$$${this.reader.names.onServer(stream)}`;
  }

  private async write(stream: string, expected: ExpectedRevision, values: object): Promise<boolean> {
    const event = eventBytes(randomUUID(), '$metadata', values);
    const name = this.metadataOf(stream);
    const metadata = { stream, name, expected, ids: [event.id], events: [event], size: event.data.length };
    return (await this.connection.append(metadata)).kind === 'appended';
  }
}
