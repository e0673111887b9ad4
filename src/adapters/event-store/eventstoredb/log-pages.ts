import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { EventFilter } from '../../../ports/event-store.port.js';
import type { LogPage } from '../log-reader/log-source.js';
import { isUnknownPosition } from './errors.js';
import { type EventReader, searching } from './event-reader.js';
import type { ReadResp } from './protocol.js';
import { logRequest } from './read-requests.js';
import { positionIn, recordedEventOf } from './recorded-event.js';
import { matchesOnServer } from './server-filter.js';
import type { StreamNames } from './stream-names.js';

const most = { events: 10_000, bytes: 4 * 1024 * 1024 };

export class LogPages {
  private head = -1;

  constructor(private readonly reader: EventReader) {}

  async after(position: number, filter: EventFilter): Promise<LogPage> {
    // The head is read before the page. Otherwise, events written in between would be skipped.
    if (position >= this.head) this.head = (await this.reader.ends()).head;
    if (position >= this.head) return { events: [], upTo: this.head, atEnd: true };
    try {
      return await this.read(position, filter, most.events);
    } catch (error) {
      // The server reads only from positions at which there is an event. From another position, the page is read from
      // the start of the log.
      if (position < 0 || !isUnknownPosition(error)) throw error;
      return this.read(position, filter, undefined);
    }
  }

  private async read(after: number, filter: EventFilter, count: number | undefined): Promise<LogPage> {
    const { head } = this;
    const piece = new Piece(after, filter, this.reader.names);
    const from = after < 0 || count === undefined ? 'start' : after;
    await this.reader.read(
      logRequest(from, 'forward', count ?? Number.MAX_SAFE_INTEGER, filter, this.reader.names),
      (response) => piece.take(response),
      searching,
    );
    const atEnd = !piece.isFull && piece.received < (count ?? Number.MAX_SAFE_INTEGER);
    return { events: piece.events, upTo: atEnd ? Math.max(piece.head, head) : piece.upTo, atEnd };
  }
}

class Piece {
  readonly events: RecordedEvent[] = [];
  received = 0;
  upTo: number;
  /**
   * Highest position that was read, or -1. If services with different namespaces share the log, only events of this
   * service count.
   */
  head = -1;
  private bytes = 0;

  constructor(
    private readonly after: number,
    private readonly filter: EventFilter,
    private readonly names: StreamNames,
  ) {
    this.upTo = after;
  }

  get isFull(): boolean {
    return this.events.length >= most.events || this.bytes >= most.bytes;
  }

  take(response: ReadResp): boolean {
    const read = response.getEvent();
    if (read === undefined) return true;
    this.received += 1;
    const position = positionIn(read);
    if (position <= this.after) return true;
    this.upTo = position;
    const event = recordedEventOf(read, this.names);
    if (event !== undefined || !this.names.areSetApart) this.head = position;
    if (event === undefined || !matchesOnServer(this.filter, event)) return true;
    this.events.push(event);
    this.bytes += read.getEvent()?.getData_asU8().length ?? 0;
    return !this.isFull;
  }
}
