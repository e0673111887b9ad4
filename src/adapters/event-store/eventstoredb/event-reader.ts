import { setImmediate } from 'node:timers/promises';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { EventFilter, ReadAllOptions, ReadStreamOptions } from '../../../ports/event-store.port.js';
import type { Connection } from './connection.js';
import { isNotLeader, isUnknownPosition, NoAnswer } from './errors.js';
import { type LogEnds, type LogReading, NamespaceHead } from './namespace-head.js';
import type { ReadReq, ReadResp } from './protocol.js';
import {
  type Direction,
  type From,
  logRequest,
  pruningRequest,
  streamRequest,
  wholeLogRequest,
} from './read-requests.js';
import { positionIn, pruningOf, recordedEventOf } from './recorded-event.js';
import { matchesOnServer } from './server-filter.js';
import { StreamNames } from './stream-names.js';

type Raw = ReadResp.ReadEvent;

const all = Number.MAX_SAFE_INTEGER;

/**
 * Factor by which the deadline is extended for filtered reads. If there are few matches, the server searches for a long
 * time without sending a message.
 */
export const searching = 6;
/** Factor for `each`. Larger than `searching`, because the consumer can be writing the events to a slow disk. */
const searchingAll = 60;

export class EventReader implements LogReading {
  private readonly namespaceHead = new NamespaceHead(this);

  constructor(
    private readonly connection: Connection,
    readonly names = new StreamNames(),
  ) {}

  async stream(
    stream: string,
    { from, direction = 'forward', limit }: ReadStreamOptions,
  ): Promise<readonly RecordedEvent[]> {
    if (limit === 0) return [];
    const start = from ?? (direction === 'forward' ? 'start' : 'end');
    const events = await this.raw(this.names.onServer(stream), start, direction, limit ?? all);
    return events.flatMap((event) => recordedEventOf(event, this.names) ?? []);
  }

  async raw(stream: string, from: From, direction: Direction, limit: number): Promise<readonly Raw[]> {
    const found: Raw[] = [];
    await this.read(streamRequest(stream, from, direction, limit), (response) => {
      const event = response.getEvent();
      if (event !== undefined) found.push(event);
      return true;
    });
    return found;
  }

  async all(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    const { from, direction = 'forward' } = options;
    const end = direction === 'forward' ? 'start' : 'end';
    const atEnd = from === undefined || (direction === 'forward' && from < 0);
    try {
      return await this.page(atEnd ? end : from, options);
    } catch (error) {
      // The server reads only from positions at which there is an event. For another position, this reads from the
      // log's start or, if backwards, its end, and `page` skips events until the position is reached.
      if (atEnd || !isUnknownPosition(error)) throw error;
      return this.page(end, options);
    }
  }

  /** Includes events of the server and of other applications. Returns -1 if there are no events. */
  async last(before: number | 'end' = 'end'): Promise<number> {
    const [event] = await this.latest(1, before);
    return event === undefined ? -1 : positionIn(event);
  }

  async latest(count: number, before: number | 'end' = 'end'): Promise<readonly Raw[]> {
    const found: Raw[] = [];
    await this.read(wholeLogRequest(before, 'backward', count), (response) => {
      const event = response.getEvent();
      if (event !== undefined) found.push(event);
      return true;
    });
    return found;
  }

  async ends(): Promise<LogEnds> {
    if (this.names.areSetApart) return this.namespaceHead.find();
    const end = await this.last();
    return { end, head: end };
  }

  /**
   * Returns, by stream, the first revision that has not been pruned, as of `position`. Omits streams that were not
   * pruned.
   */
  async keptFrom(position: number, workspaceId: string | undefined): Promise<ReadonlyMap<string, number>> {
    const first = new Map<string, number>();
    for await (const read of this.each(pruningRequest(workspaceId, this.names))) {
      const mark = pruningOf(read, this.names);
      if (mark === undefined) continue;
      if (mark.position > position) break;
      if (mark.before > 0) first.set(mark.stream, mark.before);
      else first.delete(mark.stream);
    }
    return first;
  }

  async *history(upTo: number, filter: EventFilter): AsyncGenerator<RecordedEvent> {
    for await (const read of this.each(logRequest('start', 'forward', all, filter, this.names))) {
      const recorded = recordedEventOf(read, this.names);
      if (recorded === undefined || !matchesOnServer(filter, recorded)) continue;
      if (recorded.position > upTo) return;
      yield recorded;
    }
  }

  async next(after: number, filter: EventFilter): Promise<RecordedEvent | undefined> {
    const [event] = await this.all({ ...filter, from: after, limit: 1 });
    return event;
  }

  private async page(
    start: From,
    { from, direction = 'forward', limit, ...filter }: ReadAllOptions,
  ): Promise<readonly RecordedEvent[]> {
    const found: RecordedEvent[] = [];
    if (limit === 0) return found;
    // The request has no limit, because the server would also count events that are filtered out here.
    await this.read(
      logRequest(start, direction, all, filter, this.names),
      (response) => {
        const event = response.getEvent();
        const recorded = event && recordedEventOf(event, this.names);
        if (recorded === undefined || !matchesOnServer(filter, recorded)) return true;
        const { position } = recorded;
        if (from !== undefined && (direction === 'forward' ? position <= from : position >= from)) return true;
        found.push(recorded);
        return found.length < limit;
      },
      searching,
    );
    return found;
  }

  private async *each(request: ReadReq): AsyncGenerator<Raw> {
    const stream = await this.connection.read(request);
    const patienceMs = this.connection.deadlineMs * searchingAll;
    const timer = setTimeout(() => stream.destroy(new NoAnswer(patienceMs)), patienceMs).unref();
    try {
      for await (const response of stream as AsyncIterable<ReadResp>) {
        timer.refresh();
        const event = response.getEvent();
        if (event !== undefined) yield event;
      }
    } finally {
      clearTimeout(timer);
      stream.cancel();
    }
  }

  /** @param take receives each piece of the response and returns whether to continue */
  async read(request: ReadReq, take: (response: ReadResp) => boolean, patience = 1): Promise<void> {
    for (let hop = 1; ; hop += 1) {
      try {
        return await this.readOnce(request, take, this.connection.deadlineMs * patience);
      } catch (error) {
        if (!isNotLeader(error) || hop === 3) throw error;
        await setImmediate();
      }
    }
  }

  private async readOnce(request: ReadReq, take: (response: ReadResp) => boolean, patienceMs: number): Promise<void> {
    const stream = await this.connection.read(request);
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        timer = setTimeout(() => reject(new NoAnswer(patienceMs)), patienceMs);
        stream.on('error', reject);
        stream.on('end', resolve);
        stream.on('data', (response: ReadResp) => {
          timer?.refresh();
          try {
            if (!take(response)) resolve();
          } catch (error) {
            reject(error);
          }
        });
      });
    } finally {
      clearTimeout(timer);
      stream.removeAllListeners('data');
      stream.cancel();
    }
  }
}
