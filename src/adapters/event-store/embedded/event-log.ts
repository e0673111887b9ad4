import type { EventFilter } from '../../../ports/event-store.port.js';
import { type EventRange, EventReader } from './event-reader.js';
import type { RequestTexts } from './event-texts.js';
import type { WrittenGroup } from './log-writer.js';
import { recordedEvents } from './recorded-events.js';
import { Tail } from './tail.js';
import { Writers, type WritersOptions } from './writers.js';

const largestBatch = 1_000;

export interface EventLogOptions extends Omit<WritersOptions, 'onWritten'> {
  readonly isFollowed: () => boolean;
  readonly onMoved: () => void;
}

export class EventLog {
  readonly reader: EventReader;
  private readonly writers: Writers;
  private readonly tail: Tail;
  private knownHead: number;

  constructor(private readonly options: EventLogOptions) {
    this.reader = new EventReader(options.database);
    this.writers = new Writers({ ...options, onWritten: (lists, written) => this.take(lists, written) });
    this.knownHead = this.reader.head();
    this.tail = new Tail(this.knownHead);
  }

  /** Position of the last event known to be committed. Another process can have recorded later events. */
  get head(): number {
    return this.knownHead;
  }

  record(lists: readonly (readonly RequestTexts[])[]): ReturnType<Writers['record']> {
    return this.writers.record(lists);
  }

  read(after: number, filter: EventFilter): EventRange {
    if (this.tail.covers(after)) {
      return { ...this.tail.after(after, filter), upTo: this.knownHead, live: true };
    }
    return this.reader.after(after, this.knownHead, filter, largestBatch);
  }

  async prune(stream: string, beforeRevision: number): Promise<void> {
    await this.writers.prune(stream, beforeRevision, () => this.tail.reset(this.knownHead));
  }

  async noticeOthers(): Promise<void> {
    await this.writers.record([]);
  }

  async tryToWrite(): Promise<void> {
    await this.writers.tryToWrite();
  }

  async close(): Promise<void> {
    await this.writers.close();
    this.options.database.close();
  }

  private take(lists: readonly (readonly RequestTexts[])[], { before, head, others, outcome }: WrittenGroup): void {
    if (others || before !== this.knownHead) this.tail.reset(before);
    else if (head === before) return;
    if ('results' in outcome && this.options.isFollowed()) {
      this.tail.push(recordedEvents(lists, outcome.results, before));
    } else this.tail.reset(head);
    this.knownHead = head;
    this.options.onMoved();
  }
}
