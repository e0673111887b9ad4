import { type Appended, WrongExpectedRevision } from '../../../ports/event-store.port.js';
import type { AppendBytes } from './append-messages.js';
import { type EventPosition, repetitionIn } from './repetition.js';
import type { StreamTails } from './stream-tails.js';

const carefulAppends = 32;
const contestedStreams = 1_000;

interface Sender {
  /**
   * Appends at the expected revision. After a refusal, does not search the stream for an earlier attempt.
   * @throws WrongExpectedRevision
   */
  pinned(request: AppendBytes): Promise<Appended>;
  any(request: AppendBytes): Promise<Appended>;
  repeated(stream: string, last: EventPosition): Promise<Appended>;
}

/**
 * Appends for callers that accept any revision. The server forgets event ids after a while, so a repeated append is
 * recognised here, by the ids of the stream's last events. An append is sent with the last revision that this process
 * knows, so the server refuses it if this process has missed an event. The end of the stream is read only if it is
 * unknown, after a recent refusal, or while earlier appends have no response.
 */
export class AnyAppends {
  private readonly inFlight = new Map<string, Map<string, Promise<Appended>>>();
  private readonly contested = new Map<string, number>();

  constructor(
    private readonly tails: StreamTails,
    private readonly sender: Sender,
  ) {}

  async append(request: AppendBytes): Promise<Appended> {
    const { stream, ids } = request;
    const flight = this.inFlight.get(stream) ?? new Map<string, Promise<Appended>>();
    const twin = ids.map((id) => flight.get(id)).find((sent) => sent !== undefined);
    if (twin !== undefined) {
      await twin.catch(() => undefined);
      return this.append(request);
    }
    const sent =
      flight.size > 0 || this.isContested(stream) ? this.appendAfterReading(request) : this.appendAtKnownEnd(request);
    this.inFlight.set(stream, flight);
    for (const id of ids) flight.set(id, sent);
    try {
      return await sent;
    } finally {
      for (const id of ids) flight.delete(id);
      if (flight.size === 0) this.inFlight.delete(stream);
    }
  }

  private async appendAtKnownEnd(request: AppendBytes): Promise<Appended> {
    const { stream } = request;
    const tail = this.tails.known(stream) ?? (await this.tails.tailOf(stream));
    const last = repetitionIn(request, tail);
    if (last !== undefined) return this.sender.repeated(stream, last);
    try {
      return await this.sender.pinned({ ...request, expected: tail.at(-1)?.revision ?? 'none' });
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      this.markContested(stream);
      return this.appendAfterReading(request);
    }
  }

  /**
   * Searches the stream's end for an earlier attempt. If that attempt is written only after this search, the server
   * recognises the second one as a repetition, because it remembers recent ids.
   */
  private async appendAfterReading(request: AppendBytes): Promise<Appended> {
    const last = repetitionIn(request, await this.tails.tailOf(request.stream));
    return last === undefined ? this.sender.any(request) : this.sender.repeated(request.stream, last);
  }

  private markContested(stream: string): void {
    this.contested.delete(stream);
    this.contested.set(stream, carefulAppends);
    const [oldest] = this.contested.keys();
    if (this.contested.size > contestedStreams && oldest !== undefined) this.contested.delete(oldest);
  }

  private isContested(stream: string): boolean {
    const left = this.contested.get(stream);
    if (left === undefined) return false;
    if (left > 1) this.contested.set(stream, left - 1);
    else this.contested.delete(stream);
    return true;
  }
}
