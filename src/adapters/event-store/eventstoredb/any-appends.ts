import { type Appended, WrongExpectedRevision } from '../../../ports/event-store.port.js';
import type { AppendBytes } from './append-messages.js';
import { type Place, repetitionIn } from './repetition.js';
import type { StreamTails } from './stream-tails.js';

/** After another process has written to a stream, so many of our appends to it take two calls. */
const carefulAppends = 32;
/** Most streams that are remembered for that. */
const contestedStreams = 1_000;

interface Sender {
  /** Appends, expecting what the request says. @throws WrongExpectedRevision without looking for a repetition */
  pinned(request: AppendBytes): Promise<Appended>;
  any(request: AppendBytes): Promise<Appended>;
  repeated(stream: string, place: Place): Promise<Appended>;
}

/** Appends to one stream that are not answered yet. */
interface InFlight {
  /** Revision of the stream's last event when all of them are recorded. */
  last: number;
  readonly ids: Map<string, Promise<unknown>>;
}

/**
 * Appends that take whatever revision the stream has. A repetition has to be recognised that the server may have forgotten,
 * so the end of the stream has to be known. Instead of reading it each time, an append expects the end that is known from
 * the last one: if another process has written since, the server refuses, and only then is the stream read.
 *
 * Several may be in flight: each expects that those before it are recorded, since the server takes them in order.
 */
export class AnyAppends {
  private readonly inFlight = new Map<string, InFlight>();
  private readonly loading = new Map<string, Promise<readonly Place[]>>();
  /** Streams that another process writes to as well, and how many appends to them take two calls; oldest first. */
  private readonly contested = new Map<string, number>();

  constructor(
    private readonly tails: StreamTails,
    private readonly sender: Sender,
  ) {}

  async append(request: AppendBytes): Promise<Appended> {
    const { stream, ids } = request;
    if (this.isContested(stream)) return this.carefully(request);
    const tail = this.tails.known(stream) ?? (await this.load(stream));
    const flight = this.inFlight.get(stream) ?? { last: tail.at(-1)?.revision ?? -1, ids: new Map() };
    const twin = ids.map((id) => flight.ids.get(id)).find((sent) => sent !== undefined);
    if (twin !== undefined) {
      await twin.catch(() => undefined);
      return this.append(request);
    }
    const place = repetitionIn(request, tail);
    if (place !== undefined) return this.sender.repeated(stream, place);
    this.inFlight.set(stream, flight);
    const expected = flight.last < 0 ? 'none' : flight.last;
    flight.last += ids.length;
    const sent = this.sender.pinned({ ...request, expected });
    for (const id of ids) flight.ids.set(id, sent);
    try {
      return await sent;
    } catch (error) {
      // Those behind it expect what is not there; the next ones begin with what the server has.
      this.tails.forget(stream);
      if (this.inFlight.get(stream) === flight) this.inFlight.delete(stream);
      if (!(error instanceof WrongExpectedRevision)) throw error;
      this.contend(stream);
      return this.carefully(request);
    } finally {
      for (const id of ids) flight.ids.delete(id);
      if (flight.ids.size === 0 && this.inFlight.get(stream) === flight) this.inFlight.delete(stream);
    }
  }

  /** Reads what is new in the stream, and leaves repetitions since then to the server, which remembers recent ids. */
  private async carefully(request: AppendBytes): Promise<Appended> {
    const place = repetitionIn(request, await this.tails.of(request.stream));
    return place === undefined ? this.sender.any(request) : this.sender.repeated(request.stream, place);
  }

  private load(stream: string): Promise<readonly Place[]> {
    const loading = this.loading.get(stream) ?? this.tails.of(stream).finally(() => this.loading.delete(stream));
    this.loading.set(stream, loading);
    return loading;
  }

  private contend(stream: string): void {
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
