import type { RecordedEvent } from '../../kernel/event/event.js';
import {
  type Appended,
  type AppendRequest,
  type EventFilter,
  type EventStore,
  type ReadAllOptions,
  type ReadStreamOptions,
  WrongExpectedRevision,
} from '../../ports/event-store.port.js';
import { type DryRun, firstDryRunPosition } from './dry-run.js';

const lookBack = 100;

interface Written {
  /**
   * Revision that the stream had when the dry run first appended to it, or -1 if it had no events. Events that are
   * recorded after that are ignored.
   */
  readonly base: number;
  readonly events: RecordedEvent[];
}

/** The log as a dry run sees it: the recorded events, followed by those of the dry run. */
export class DryRunLog {
  private readonly streams = new Map<string, Written>();
  private lastAppend: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly dryRun: DryRun,
    private readonly log: EventStore,
  ) {}

  /**
   * Appends all requests or none. Concurrent calls wait for each other.
   * @throws WrongExpectedRevision
   */
  append(requests: readonly AppendRequest[]): Promise<readonly Appended[]> {
    const mine = this.lastAppend.then(() => this.appendAll(requests));
    this.lastAppend = mine.catch(() => undefined);
    return mine;
  }

  async head(): Promise<number> {
    return this.dryRun.written.at(-1)?.position ?? this.log.head();
  }

  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<readonly RecordedEvent[]> {
    const written = this.streams.get(stream);
    if (written === undefined) return this.log.readStream(stream, options);
    const { base, events } = written;
    const { direction = 'forward', limit = Number.POSITIVE_INFINITY } = options;
    if (direction === 'backward') {
      const from = options.from ?? Number.POSITIVE_INFINITY;
      const own = events.filter(({ revision }) => revision <= from).toReversed();
      const left = limit - own.length;
      const before = left > 0 && base >= 0 ? await this.recorded(stream, 'backward', Math.min(from, base), left) : [];
      return [...own, ...before].slice(0, limit);
    }
    const from = options.from ?? 0;
    const first = from <= base ? await this.recorded(stream, 'forward', from, limit) : [];
    const before = first.filter(({ revision }) => revision <= base);
    return [...before, ...events.filter(({ revision }) => revision >= from)].slice(0, limit);
  }

  async readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    const own = this.dryRun.written.filter((event) => matches(event, options));
    const { limit, direction = 'forward', from } = options;
    if (direction === 'forward') {
      const page = await this.log.readAll(options);
      return [...page, ...own.filter(({ position }) => position > (from ?? -1))].slice(0, limit);
    }
    const newer = own.filter(({ position }) => position < (from ?? Number.POSITIVE_INFINITY)).toReversed();
    if (newer.length >= limit) return newer.slice(0, limit);
    return [...newer, ...(await this.log.readAll({ ...options, limit: limit - newer.length }))];
  }

  private recorded(stream: string, direction: 'forward' | 'backward', from: number, limit: number) {
    return this.log.readStream(stream, { direction, from, ...(Number.isFinite(limit) ? { limit } : {}) });
  }

  private async appendAll(requests: readonly AppendRequest[]): Promise<readonly Appended[]> {
    const before = new Map<string, number>();
    const found: (Appended | undefined)[] = [];
    for (const { stream, expected, events } of requests) {
      const repeated = await this.repetitionOf(stream, events[0]?.id);
      found.push(repeated);
      if (repeated !== undefined) continue;
      const revision = before.get(stream) ?? (await this.revisionOf(stream));
      const isExpected = expected === 'any' || (expected === 'none' ? -1 : expected) === revision;
      if (!isExpected) throw new WrongExpectedRevision(stream, expected, revision);
      before.set(stream, revision + events.length);
    }
    const appended: Appended[] = [];
    for (const [at, request] of requests.entries()) appended.push(found[at] ?? (await this.add(request)));
    return appended;
  }

  private async repetitionOf(stream: string, id: string | undefined): Promise<Appended | undefined> {
    const latest = await this.readStream(stream, { direction: 'backward', limit: lookBack });
    const known = latest.find((event) => event.id === id);
    return known === undefined ? undefined : { revision: known.revision, position: known.position };
  }

  private async add({ stream, events }: AppendRequest): Promise<Appended> {
    const base = await this.revisionOf(stream);
    const written = this.streams.get(stream) ?? { base, events: [] };
    let revision = base;
    let position = firstDryRunPosition + this.dryRun.written.length - 1;
    for (const event of events) {
      revision += 1;
      position += 1;
      const recorded = { ...event, data: structuredClone(event.data), stream, revision, position };
      written.events.push(recorded);
      this.dryRun.record(recorded);
    }
    this.streams.set(stream, written);
    return { revision, position };
  }

  private async revisionOf(stream: string): Promise<number> {
    const [last] = await this.readStream(stream, { direction: 'backward', limit: 1 });
    return last?.revision ?? -1;
  }
}

function matches(event: RecordedEvent, { categories, types, workspaceId }: EventFilter): boolean {
  const { stream, type, metadata } = event;
  const category = stream.slice(0, stream.indexOf('-'));
  return (
    (categories?.includes(category) ?? true) &&
    (types?.includes(type) ?? true) &&
    (workspaceId === undefined || metadata.workspaceId === workspaceId)
  );
}
