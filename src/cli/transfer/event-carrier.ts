import type { EventMetadata, NewEvent } from '../../kernel/event/event.js';
import { type EventStore, WrongExpectedRevision } from '../../ports/event-store.port.js';
import type { LogFile } from './log-file.js';
import { type EventLine, logLineText } from './log-line.js';

/** Limits of one append to a stream. EventStoreDB accepts at most one megabyte. */
const request = { events: 500, bytes: 500_000 };
/**
 * Limits of the appends that are passed to the store in one call. The embedded store writes them to disk in one
 * transaction.
 */
const round = { events: 1_000, bytes: 4_000_000 };

interface Growing {
  readonly stream: string;
  readonly expected: number | 'none';
  readonly events: NewEvent[];
  bytes: number;
}

/** Appends the events of a file. Each gets the same revision in its stream as in the source. */
export class EventCarrier {
  private requests: Growing[] = [];
  private events = 0;
  private bytes = 0;

  constructor(private readonly store: EventStore) {}

  /** @param there number of events, from the beginning of the file, that the log already contains */
  async carry(file: LogFile, there: number): Promise<number> {
    let passed = 0;
    for await (const line of file.events()) {
      passed++;
      if (passed <= there) continue;
      this.add(line);
      if (this.events >= round.events || this.bytes >= round.bytes) await this.flush();
    }
    await this.flush();
    return passed - there;
  }

  private add(line: EventLine): void {
    const bytes = Buffer.byteLength(logLineText(line));
    const last = this.requests.at(-1);
    const fits =
      last?.stream === line.stream && last.events.length < request.events && last.bytes + bytes <= request.bytes;
    if (last !== undefined && fits) {
      last.events.push(newEvent(line));
      last.bytes += bytes;
    } else {
      const expected = line.revision === 0 ? 'none' : line.revision - 1;
      this.requests.push({ stream: line.stream, expected, events: [newEvent(line)], bytes });
    }
    this.events++;
    this.bytes += bytes;
  }

  private async flush(): Promise<void> {
    const { requests } = this;
    this.requests = [];
    this.events = 0;
    this.bytes = 0;
    if (requests.length === 0) return;
    try {
      await this.store.append(requests);
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      throw new Error(
        `Another process writes to stream ${error.stream}: stop everything that uses this log, and try again.`,
      );
    }
  }
}

const newEvent = ({ id, type, data, metadata }: EventLine): NewEvent => ({
  id,
  type,
  data,
  metadata: metadata as EventMetadata,
});
