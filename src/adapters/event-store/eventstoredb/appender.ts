import type { AppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { type Appended, WrongExpectedRevision } from '../../../ports/event-store.port.js';
import { type AppendBytes, optionsOf } from './append-messages.js';
import type { Connection } from './connection.js';
import { callErrorOf, isUndecided } from './errors.js';
import type { EventReader } from './event-reader.js';
import { positionOf } from './position.js';
import type { RecentIds } from './recent-ids.js';
import { type Place, StreamTails } from './stream-tails.js';

/** How many events, from the end of a stream, are searched for a repetition after a refusal. */
const lookBack = 4_096;

/**
 * Appends one request. The server recognises most repetitions itself: with the same expected revision always, with `any`
 * as long as it remembers the ids. Other repetitions are found by reading.
 */
export class Appender {
  private readonly tails: StreamTails;

  constructor(
    private readonly connection: Connection,
    private readonly reader: EventReader,
    private readonly recent: RecentIds,
  ) {
    this.tails = new StreamTails(reader);
  }

  async append(request: AppendBytes): Promise<Appended> {
    const suspect = request.expected === 'any' || this.recent.hasOneOf(request.ids);
    const repeated = suspect ? found(request, await this.tails.of(request.stream)) : undefined;
    const appended = repeated ?? (await this.write(request));
    this.recent.add(request.ids);
    return appended;
  }

  private async write(request: AppendBytes): Promise<Appended> {
    const { stream, expected, ids, proposals } = request;
    try {
      const response = await this.connection.append([optionsOf(stream, expected), ...proposals]);
      return (await this.appendedOf(stream, response)) ?? this.refuse(request, response);
    } catch (error) {
      const refused = error instanceof WrongExpectedRevision;
      if (refused || isUndecided(error)) {
        // Also for an append without an answer: the server drops a repetition of what it is still writing.
        const look = this.find(request);
        const repeated = await (refused ? look : look.catch(() => undefined));
        if (repeated !== undefined) return repeated;
      }
      const call = callErrorOf(error);
      if (call?.exception !== 'maximum-append-size-exceeded') throw error;
      throw new Error(`An append of ${ids.length} events to stream ${stream} is larger than EventStoreDB takes.`, {
        cause: error,
      });
    }
  }

  private async appendedOf(stream: string, response: AppendResp): Promise<Appended | undefined> {
    const success = response.getSuccess();
    if (success === undefined) return undefined;
    const revision = Number(success.getCurrentRevision());
    const position = success.getPosition()?.getCommitPosition();
    if (position !== undefined) return { revision, position: positionOf(position) };
    // The answer to a repetition may come without a position.
    const [event] = await this.reader.stream(stream, { from: revision, limit: 1 });
    if (event === undefined) throw new Error(`Event ${revision} of stream ${stream} was appended and is not there.`);
    return { revision, position: event.position };
  }

  private refuse({ stream, expected }: AppendBytes, response: AppendResp): never {
    const refusal = response.getWrongExpectedVersion();
    const actual = refusal?.hasCurrentRevision() ? Number(refusal.getCurrentRevision()) : -1;
    throw new WrongExpectedRevision(stream, expected, actual);
  }

  private async find(request: AppendBytes): Promise<Appended | undefined> {
    const backward = await this.reader.stream(request.stream, { direction: 'backward', limit: lookBack });
    return found(request, backward.toReversed());
  }
}

/**
 * The place of the request's events if they are already in the stream, one after the other.
 * @throws WrongExpectedRevision when only some of them are there, or in another order.
 */
function found({ stream, expected, ids }: AppendBytes, events: readonly Place[]): Appended | undefined {
  const first = events.findIndex(({ id }) => id === ids[0]);
  const last = events[first + ids.length - 1];
  if (first >= 0 && last !== undefined && ids.every((id, index) => events[first + index]?.id === id)) {
    return { revision: last.revision, position: last.position };
  }
  // An id is never recorded twice in a stream, whatever revision its writer expected.
  const wanted = new Set(ids);
  if (!events.some(({ id }) => wanted.has(id))) return undefined;
  throw new WrongExpectedRevision(stream, expected, events.at(-1)?.revision ?? -1);
}
