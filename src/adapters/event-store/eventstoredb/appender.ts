import { type Appended, WrongExpectedRevision } from '../../../ports/event-store.port.js';
import type { AppendAnswer } from './append-answers.js';
import type { AppendBytes } from './append-messages.js';
import type { Connection } from './connection.js';
import { callErrorOf, isUndecided } from './errors.js';
import type { EventReader } from './event-reader.js';
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
    const { stream, expected, ids } = request;
    try {
      const answer = await this.connection.append(request);
      if (answer.kind === 'refused') throw new WrongExpectedRevision(stream, expected, answer.actual);
      return await this.placeOf(stream, answer);
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

  private async placeOf(stream: string, answer: AppendAnswer & { readonly kind: 'appended' }): Promise<Appended> {
    const { revision, position } = answer;
    if (position !== undefined) return { revision, position };
    const [event] = await this.reader.stream(stream, { from: revision, limit: 1 });
    if (event === undefined) throw new Error(`Event ${revision} of stream ${stream} was appended and is not there.`);
    return { revision, position: event.position };
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
