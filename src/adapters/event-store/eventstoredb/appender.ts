import { type Appended, WrongExpectedRevision } from '../../../ports/event-store.port.js';
import { AnyAppends } from './any-appends.js';
import type { AppendBytes } from './append-messages.js';
import type { Connection } from './connection.js';
import { callErrorOf, isUndecided } from './errors.js';
import type { EventReader } from './event-reader.js';
import type { RecentIds } from './recent-ids.js';
import { type EventPosition, positionsOf, repetitionIn } from './repetition.js';
import { StreamTails } from './stream-tails.js';

const lookBack = 4_096;

/**
 * The server recognises a repeated append if it has the same expected revision as the first attempt or, for `any`, as
 * long as the server remembers the event ids. This class recognises the others by the ids that this process has written
 * or read, or by reading the stream.
 */
export class Appender {
  private readonly tails: StreamTails;
  private readonly any: AnyAppends;

  constructor(
    private readonly connection: Connection,
    private readonly reader: EventReader,
    private readonly recent: RecentIds,
  ) {
    this.tails = new StreamTails(reader);
    this.any = new AnyAppends(this.tails, {
      pinned: (request) => this.send(request, false),
      any: (request) => this.send(request, true),
      repeated: (stream, place) => this.at(stream, place),
    });
  }

  async append(request: AppendBytes): Promise<Appended> {
    const { stream, ids } = request;
    const known = this.recent.repetition(request);
    const appended = known === undefined ? await this.appendNew(request) : await this.at(stream, known);
    this.recent.add(stream, positionsOf(ids, appended));
    return appended;
  }

  private async appendNew(request: AppendBytes): Promise<Appended> {
    if (request.expected === 'any') return this.any.append(request);
    if (!this.recent.hasOneOf(request.ids)) return this.send(request, true);
    const repeated = repetitionIn(request, await this.tails.tailOf(request.stream));
    return repeated === undefined ? this.send(request, true) : this.at(request.stream, repeated);
  }

  private async send(request: AppendBytes, looks: boolean): Promise<Appended> {
    const appended = await this.write(request, looks);
    this.tails.appended(request.stream, positionsOf(request.ids, appended));
    return appended;
  }

  private async write(request: AppendBytes, looks: boolean): Promise<Appended> {
    const { stream, expected, ids } = request;
    try {
      const answer = await this.connection.append(request);
      if (answer.kind === 'refused') throw new WrongExpectedRevision(stream, expected, answer.actual);
      return await this.at(stream, answer);
    } catch (error) {
      const refused = error instanceof WrongExpectedRevision;
      if (refused ? looks : isUndecided(error)) {
        // If there was no response, only the stream can show whether the server has written the append. A second
        // attempt cannot show it, because the server drops that attempt while it is still writing the first one.
        const look = this.find(request);
        const repeated = await (refused ? look : look.catch(() => undefined));
        if (repeated !== undefined) return repeated;
      }
      const call = callErrorOf(error);
      if (call?.exception !== 'maximum-append-size-exceeded') throw error;
      throw new Error(`An append of ${ids.length} events to stream ${stream} is larger than EventStoreDB accepts.`, {
        cause: error,
      });
    }
  }

  private async at(stream: string, { revision, position }: Omit<EventPosition, 'id'>): Promise<Appended> {
    if (position !== undefined) return { revision, position };
    const [event] = await this.reader.stream(stream, { from: revision, limit: 1 });
    if (event?.revision !== revision)
      throw new Error(`Event ${revision} of stream ${stream} was appended but cannot be found.`);
    return { revision, position: event.position };
  }

  private async find(request: AppendBytes): Promise<Appended | undefined> {
    const backward = await this.reader.stream(request.stream, { direction: 'backward', limit: lookBack });
    const place = repetitionIn(request, backward.toReversed());
    return place && this.at(request.stream, place);
  }
}
