import { setImmediate } from 'node:timers/promises';
import type { RecordedEvent } from '../../../kernel/event.js';
import type { EventFilter, ReadAllOptions, ReadStreamOptions } from '../../../ports/event-store.port.js';
import type { Connection } from './connection.js';
import { isNotLeader, isUnknownPosition, NoAnswer } from './errors.js';
import { positionOf } from './position.js';
import type { ReadReq, ReadResp } from './protocol.js';
import { type Direction, type From, logRequest, pruningRequest, streamRequest } from './read-requests.js';
import { pruningOf, recordedEventOf } from './recorded-event.js';
import { matches } from './server-filter.js';

type Raw = ReadResp.ReadEvent;

const all = Number.MAX_SAFE_INTEGER;

/** A factor on the deadline: with a filter that matches little, the server searches for long without a message. */
export const searching = 6;
/** The factor for reading the whole log, whose reader may write to a slow disk. */
const searchingAll = 60;

/** Finite reads. The time to wait for the next piece of an answer is limited. */
export class EventReader {
  constructor(private readonly connection: Connection) {}

  /** An unknown stream is empty, and so is one whose events were all pruned. */
  async stream(
    stream: string,
    { from, direction = 'forward', limit }: ReadStreamOptions,
  ): Promise<readonly RecordedEvent[]> {
    if (limit === 0) return [];
    const start = from ?? (direction === 'forward' ? 'start' : 'end');
    const events = await this.raw(stream, start, direction, limit ?? all);
    return events.flatMap((event) => recordedEventOf(event) ?? []);
  }

  /** Reads any stream, also the server's own. */
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
      // The server reads only from positions of events. Any other position is found by reading backwards from the end.
      if (atEnd || !isUnknownPosition(error)) throw error;
      return this.page(end, options);
    }
  }

  /** Position of the last event before a position or the end; the server's own events count. */
  async last(before: number | 'end' = 'end'): Promise<number> {
    let position = -1;
    await this.read(logRequest(before, 'backward', 1), (response) => {
      const event = response.getEvent();
      if (event !== undefined) position = positionOf(event.getCommitPosition());
      return true;
    });
    return position;
  }

  /** By stream: the first revision that was not pruned, according to its metadata at this position. */
  async keptFrom(position: number, workspaceId: string | undefined): Promise<ReadonlyMap<string, number>> {
    const kept = new Map<string, number>();
    for await (const read of this.each(pruningRequest(workspaceId))) {
      const mark = pruningOf(read);
      if (mark === undefined) continue;
      if (mark.position > position) break;
      if (mark.before > 0) kept.set(mark.stream, mark.before);
      else kept.delete(mark.stream);
    }
    return kept;
  }

  /** The log up to a position, in one answer that is streamed as fast as it is consumed. */
  async *history(upTo: number, filter: EventFilter): AsyncGenerator<RecordedEvent> {
    for await (const read of this.each(logRequest('start', 'forward', all, filter))) {
      const recorded = recordedEventOf(read);
      if (recorded === undefined || !matches(filter, recorded)) continue;
      if (recorded.position > upTo) return;
      yield recorded;
    }
  }

  /** The next event after this position that a subscription would deliver; undefined if none matches. */
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
    // The server's count includes events that are filtered out here, so reading continues until there are enough.
    await this.read(
      logRequest(start, direction, all, filter),
      (response) => {
        const event = response.getEvent();
        const recorded = event && recordedEventOf(event);
        if (recorded === undefined || !matches(filter, recorded)) return true;
        const { position } = recorded;
        if (from !== undefined && (direction === 'forward' ? position <= from : position >= from)) return true;
        found.push(recorded);
        return found.length < limit;
      },
      searching,
    );
    return found;
  }

  /** Does not resume after a failure: the reader of the whole log has to start again. */
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

  /** @param take gets each piece of the answer and says whether it wants more */
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
