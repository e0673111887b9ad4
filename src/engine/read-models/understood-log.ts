import type { NewEvent, RecordedEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';
import {
  beginsBeyondThisVersion,
  concerns,
  isBeyondThisVersion,
  mustBeUnderstood,
} from '../../kernel/record/understanding.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import {
  type Appended,
  type AppendOptions,
  type AppendRequest,
  type LogSnapshot,
  type ReadAllOptions,
  type ReadStreamOptions,
  RecordedLog,
  type Subscriber,
  type Subscription,
} from '../../ports/event-store.port.js';
import { refusalOf } from '../refusals/engine.refusals.js';
import { NewerRecords } from './newer-records.js';

/** Delay before a refused call should be retried. A process with a newer version may then handle it. */
export const newerAfterSeconds = 30;

/** A newer version recorded an event that this version does not know and must not ignore. */
export class NewerVersionNeeded extends Refusal {
  readonly eventDescription: string;

  constructor({ type, stream, position }: RecordedEvent) {
    const { code, kind, message } = refusalOf('newer-version-needed', { type });
    super(code, kind, message, { retryAfterSeconds: newerAfterSeconds });
    this.eventDescription = `${type} of ${stream} at ${position}`;
  }
}

export const haltSentence = (who: string, { eventDescription }: NewerVersionNeeded): string =>
  `${who} stopped before ${eventDescription}, which a newer version recorded and this version must not skip; a process of the newer version continues from there.`;

/**
 * Some events must not be ignored. A version that does not know the type of such an event refuses to read the event's
 * stream, and stops the subscribers concerned before they receive the event.
 */
export class UnderstoodLog extends RecordedLog {
  constructor(
    private readonly log: RecordedLog,
    private readonly newer = new NewerRecords(),
  ) {
    super();
  }

  override append(requests: readonly AppendRequest[], options?: AppendOptions): Promise<readonly Appended[]> {
    return this.log.append(requests.map(declared), options);
  }

  override async readStream(stream: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    const events = await this.log.readStream(stream, options);
    if (options?.onlyShown) return events;
    const beyond = events.find((event) => isBeyondThisVersion(event) || beginsBeyondThisVersion(event));
    if (beyond !== undefined) throw this.beyond(beyond);
    return events;
  }

  override async readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    if (options.onlyShown) return this.log.readAll(options);
    const found: RecordedEvent[] = [];
    for (let from = options.from; found.length < options.limit; ) {
      const limit = options.limit - found.length;
      const page = await this.log.readAll({
        ...withMustUnderstand(options),
        limit,
        ...(from === undefined ? {} : { from }),
      });
      for (const event of page) {
        const fate = fateOf(event, options.types);
        if (fate === 'stops') throw this.beyond(event);
        if (fate === 'passes') found.push(event);
      }
      if (page.length < limit) break;
      from = page.at(-1)?.position;
    }
    return found;
  }

  override subscribe(subscriber: Subscriber): Subscription {
    const { types, handle } = subscriber;
    // After a stop, the batch is delivered again until it can be handled completely. Events up to this position were
    // already handled and are skipped.
    let handled = subscriber.after;
    let reported = -1;
    return this.log.subscribe({
      ...withMustUnderstand(subscriber),
      handle: async (events, caughtUpTo) => {
        const passing: RecordedEvent[] = [];
        for (const event of events) {
          const fate = event.position <= handled ? 'is not for it' : fateOf(event, types);
          if (fate === 'passes') passing.push(event);
          if (fate !== 'stops') continue;
          const last = passing.at(-1);
          if (last !== undefined) {
            await handle(passing, last.position);
            handled = last.position;
          }
          const stop = this.beyond(event);
          if (reported !== event.position) subscriber.stopped?.(stop);
          reported = event.position;
          throw stop;
        }
        await handle(passing, caughtUpTo);
      },
    });
  }

  override version(): number | undefined {
    return this.log.version();
  }

  override head(): Promise<number> {
    return this.log.head();
  }

  override truncate(stream: string, beforeRevision: number): Promise<void> {
    return this.log.truncate(stream, beforeRevision);
  }

  override snapshot(workspaceId?: string): Promise<LogSnapshot> {
    return this.log.snapshot(workspaceId);
  }

  override check(): Promise<void> {
    return this.log.check();
  }

  override close(): Promise<void> {
    return this.log.close();
  }

  private beyond(event: RecordedEvent): NewerVersionNeeded {
    this.newer.met(event);
    return new NewerVersionNeeded(event);
  }
}

/**
 * The filter also matches events that must be understood. Otherwise a reader that selects event types would not notice
 * them.
 */
function withMustUnderstand<Filter extends ReadAllOptions | Subscriber>(filter: Filter): Filter {
  return filter.types === undefined ? filter : { ...filter, andMustUnderstand: true };
}

function fateOf(event: RecordedEvent, types: readonly string[] | undefined): 'passes' | 'stops' | 'is not for it' {
  if (types?.includes(event.type)) return 'passes';
  if (isBeyondThisVersion(event) && (types === undefined || concerns(types, event))) return 'stops';
  return types === undefined ? 'passes' : 'is not for it';
}

function declared(request: AppendRequest): AppendRequest {
  const { category } = parseStream(request.stream);
  if (!request.events.some(({ type }) => mustBeUnderstood(category, type))) return request;
  const withFlag = (event: NewEvent): NewEvent =>
    mustBeUnderstood(category, event.type)
      ? { ...event, metadata: { ...event.metadata, mustUnderstand: true } }
      : event;
  return { ...request, events: request.events.map(withFlag) };
}
