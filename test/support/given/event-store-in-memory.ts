import type { NewEvent, RecordedEvent } from '../../../src/kernel/event/event.js';
import {
  type Appended,
  type AppendRequest,
  EventStore,
  type LogSnapshot,
  type ReadStreamOptions,
  type Subscription,
  WrongExpectedRevision,
} from '../../../src/ports/event-store.port.js';

/** An event store in memory, for specs of code that writes, reads and prunes single streams. */
export class EventStoreInMemory extends EventStore {
  /** Calls that changed or read the log, in order. */
  readonly done: string[] = [];
  /** If set, the next append records its events and then throws this error. */
  lostAnswer: Error | undefined;
  /** If set, called once before the next append, to simulate another writer. */
  meanwhile: (() => Promise<unknown>) | undefined;
  private readonly streams = new Map<string, RecordedEvent[]>();
  private readonly keptFrom = new Map<string, number>();
  private position = -1;

  override async append(requests: readonly AppendRequest[]): Promise<readonly Appended[]> {
    const { meanwhile } = this;
    this.meanwhile = undefined;
    await meanwhile?.();
    const appended = requests.map((request) => this.appendOne(request));
    const { lostAnswer } = this;
    this.lostAnswer = undefined;
    if (lostAnswer !== undefined) throw lostAnswer;
    return appended;
  }

  override async readStream(stream: string, options: ReadStreamOptions = {}): Promise<readonly RecordedEvent[]> {
    const kept = (this.streams.get(stream) ?? []).slice(this.keptFrom.get(stream) ?? 0);
    const { from, direction = 'forward', limit } = options;
    const found =
      direction === 'forward'
        ? kept.filter(({ revision }) => revision >= (from ?? 0))
        : kept.filter(({ revision }) => revision <= (from ?? revision)).reverse();
    return found.slice(0, limit);
  }

  override async truncate(stream: string, beforeRevision: number): Promise<void> {
    this.done.push(`prune ${stream} before ${beforeRevision}`);
    this.keptFrom.set(stream, Math.max(beforeRevision, this.keptFrom.get(stream) ?? 0));
  }

  override async head(): Promise<number> {
    return this.position;
  }

  override async check(): Promise<void> {}

  override async close(): Promise<void> {}

  override async readAll(): Promise<never> {
    throw new Error('This store has only streams.');
  }

  override subscribe(): Subscription {
    throw new Error('This store has only streams.');
  }

  override async snapshot(): Promise<LogSnapshot> {
    throw new Error('This store has only streams.');
  }

  private appendOne({ stream, expected, events }: AppendRequest): Appended {
    const recorded = this.streams.get(stream) ?? [];
    this.streams.set(stream, recorded);
    const known = recorded.findIndex(({ id }) => id === events[0]?.id);
    if (known < 0) {
      const actual = recorded.length - 1;
      if (expected !== 'any' && (expected === 'none' ? -1 : expected) !== actual) {
        throw new WrongExpectedRevision(stream, expected, actual);
      }
      for (const event of events) this.record(stream, recorded, event);
    }
    const revision = known < 0 ? recorded.length - 1 : known + events.length - 1;
    return { revision, position: recorded[revision]?.position ?? -1 };
  }

  private record(stream: string, recorded: RecordedEvent[], event: NewEvent): void {
    this.position += 1;
    this.done.push(`append ${event.type} to ${stream}`);
    recorded.push({ ...event, stream, revision: recorded.length, position: this.position });
  }
}
