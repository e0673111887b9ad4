import { Injectable, Logger } from '@nestjs/common';
import type { DomainEvent, Recorded, RecordedEvent } from '../../kernel/event/event.js';
import { parseStream, streamOf } from '../../kernel/event/stream-name.js';
import type { Aggregate } from '../../kernel/record/aggregate.js';
import type { Document, Projection } from '../../kernel/record/projection.js';
import { lackingFor, withoutNeeds } from '../../kernel/record/understanding.js';
import { throttledLog } from '../../kernel/throttled-log.js';
import { EventStore } from '../../ports/event-store.port.js';
import { type Build, type Held, ReadStore, ReadStoreUnavailable } from '../../ports/read-store.port.js';
import { faultReason } from '../cluster/fault-reason.js';
import { PerTrial } from '../dry-run/trial.js';
import { isOfVersion } from '../read-models/generation.js';
import { ReadModels } from '../read-models/read-models.js';
import { hasNoDocument, missedBy } from '../read-models/set-aside.js';
import { Watermark } from '../read-models/watermark.js';
import { refuse } from '../refusals/engine.refusals.js';
import { AggregateCache, advance, type Loaded } from './aggregate-cache.js';

/** Sizes of the pages read from a stream's end. Most often the first one or two are enough. */
const backwardPages = [1, 8, 32];
/** A stream of no more events is read whole, without a look at the read model. */
const shortStream = 8;
/** A whole stream is folded this many events at a time, so that its length costs time and not memory. */
const forwardPage = 100;

/** So many records are folded at once when many are read as they were. */
const recordsAtOnce = 20;

/** Documents, and the position up to which they include everything. */
interface Kept {
  readonly build: Build;
  readonly checkpoint: number;
  readonly held: ReadonlyMap<string, Held>;
}

/** What a read model says of a record: its state after every event of its stream up to this position. */
interface Snapshot {
  readonly state: unknown;
  readonly upTo: number;
}

/**
 * Loads an aggregate without reading its whole history: from the cache, or from the document that the read model keeps
 * of it, and then the events recorded since. The document is made by the same fold, so it is the same state. Where there
 * is no usable document (a new read model, a store that is away) the stream is folded from its beginning.
 *
 * A record of which an event cannot be folded is refused with `record-set-aside`, as queries refuse it.
 */
@Injectable()
export class AggregateLoader {
  private readonly log = new Logger('Records');
  private readonly warn = throttledLog((sentence) => this.log.error(sentence));
  private readonly caches = new PerTrial(() => new AggregateCache());

  constructor(
    private readonly store: EventStore,
    private readonly readStore: ReadStore,
    private readonly models: ReadModels,
    private readonly watermark: Watermark,
  ) {}

  async load<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    stream: string,
  ): Promise<Loaded<State>> {
    const cached = this.caches.now.get<State>(stream);
    const loaded = cached ? await this.foldFrom(aggregate, stream, cached) : await this.loadCold(aggregate, stream);
    // Before it is taken for deleted: the log refuses a record whose beginning this version does not know.
    if (!cached && loaded.state === undefined && loaded.revision > 0) await this.store.readStream(stream, { limit: 1 });
    if (loaded !== cached && loaded.revision >= 0) this.caches.now.set(stream, loaded);
    return loaded;
  }

  remember(stream: string, loaded: Loaded<unknown>): void {
    this.caches.now.set(stream, loaded);
  }

  forget(stream: string): void {
    this.caches.now.forget(stream);
  }

  /**
   * Whether a command recorded something in the stream. It is known to have recorded nothing at or before `after`; the
   * stream is read from its end back to there.
   */
  recordedBy(stream: string, commandId: string, after = -1): Promise<boolean> {
    return this.holds(stream, ({ metadata, position }) => position > after && metadata.commandId === commandId, after);
  }

  /** Whether there is such an event in the stream after a position; looked for from the end, a page at a time. */
  async holds(stream: string, isSuch: (event: RecordedEvent) => boolean, after = -1): Promise<boolean> {
    for await (const page of this.backward(stream)) {
      if (page.some(isSuch)) return true;
      if (page.some(({ position }) => position <= after)) return false;
    }
    return false;
  }

  /** Records as they were after everything up to a position; those that were not there then are left out. */
  async *at<Doc extends Document>(
    { category, initial, evolve }: Aggregate<Doc | undefined, DomainEvent>,
    workspaceId: string,
    ids: readonly string[],
    position: number,
  ): AsyncIterable<Doc> {
    for (let from = 0; from < ids.length; from += recordsAtOnce) {
      const some = ids.slice(from, from + recordsAtOnce);
      const kept = await this.keptOf(category, some);
      const states = some.map(async (id) => {
        const held = kept !== undefined && kept.checkpoint >= position ? kept.held.get(id) : undefined;
        const isOfThen = held !== undefined && held.position <= position && missedBy(held.document) === undefined;
        if (isOfThen && lackingFor(held.document, category) === undefined) return withoutNeeds(held.document) as Doc;
        let state = initial;
        for await (const event of this.history(streamOf(category, workspaceId, id))) {
          if (event.position > position) break;
          state = evolve(state, event as unknown as Recorded<DomainEvent>);
        }
        return state;
      });
      for (const state of await Promise.all(states)) if (state !== undefined) yield state;
    }
  }

  /** Every event of a stream, oldest first, a page in memory at a time. */
  async *history(stream: string): AsyncIterable<RecordedEvent> {
    for (let from = 0; ; ) {
      const events = await this.store.readStream(stream, { from, limit: forwardPage });
      yield* events;
      const last = events.at(-1);
      if (last === undefined || events.length < forwardPage) return;
      from = last.revision + 1;
    }
  }

  private async loadCold<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    stream: string,
  ): Promise<Loaded<State>> {
    const beginning: Loaded<State> = { state: aggregate.initial, revision: -1 };
    const [last] = await this.store.readStream(stream, { direction: 'backward', limit: 1 });
    if (last === undefined) return beginning;
    const snapshot = last.revision < shortStream ? undefined : await this.snapshotOf(aggregate.category, stream);
    if (snapshot === undefined) return this.foldFrom(aggregate, stream, beginning);
    // Read after the snapshot was taken, so that the snapshot never knows an event that the tail does not.
    const tail: RecordedEvent[] = [];
    for await (const page of this.backward(stream)) {
      tail.unshift(...page.filter(({ position }) => position > snapshot.upTo).reverse());
      const base = page.find(({ position }) => position <= snapshot.upTo);
      if (base === undefined) continue;
      this.watermark.appended(Math.max(base.position, tail.at(-1)?.position ?? -1), tail.length > 0 ? tail : [base]);
      const from = { state: snapshot.state as State, revision: base.revision };
      return this.advance(aggregate, from, tail);
    }
    return this.foldFrom(aggregate, stream, beginning);
  }

  private async foldFrom<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    stream: string,
    from: Loaded<State>,
  ): Promise<Loaded<State>> {
    for (let loaded = from; ; ) {
      const events = await this.store.readStream(stream, { from: loaded.revision + 1, limit: forwardPage });
      loaded = this.advance(aggregate, loaded, events);
      const last = events.at(-1);
      // Somebody else may have recorded them a moment ago: what is answered on their strength, reads show as well.
      if (last !== undefined) this.watermark.appended(last.position, events);
      if (events.length < forwardPage) return loaded;
    }
  }

  /** Nothing can be decided about a record of which an event cannot be folded, nor be answered. @throws Refusal */
  private advance<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    from: Loaded<State>,
    events: readonly RecordedEvent[],
  ): Loaded<State> {
    let loaded = from;
    for (const event of events) {
      try {
        loaded = advance(aggregate, loaded, [event as unknown as Recorded<Event>]);
      } catch (error) {
        const { type, stream, position } = event;
        this.warn(`${type} of ${stream} at ${position} cannot be folded: ${faultReason(error)}.`);
        refuse('record-set-aside', { type });
      }
    }
    return loaded;
  }

  private async snapshotOf(category: string, stream: string): Promise<Snapshot | undefined> {
    const { id } = parseStream(stream);
    const kept = await this.keptOf(category, [id]);
    if (kept === undefined) return undefined;
    const held = kept.held.get(id);
    // Its state is that before an event which the read model could not take in.
    if (missedBy(held?.document) !== undefined) return undefined;
    // The stream holds an event that this version does not know: its reading refuses.
    if (lackingFor(held?.document, category) !== undefined) return undefined;
    if (held === undefined && (await this.hasNone(kept.build, stream))) return undefined;
    return { state: held && withoutNeeds(held.document), upTo: Math.max(kept.checkpoint, held?.position ?? -1) };
  }

  /** The checkpoint is read before the documents, so that no document is older than it. */
  private async keptOf(category: string, ids: readonly string[]): Promise<Kept | undefined> {
    const projection = this.models.recordsOf(category);
    if (projection === undefined) return undefined;
    try {
      const build = await this.buildOf(projection);
      if (build === undefined) return undefined;
      const checkpoint = await this.readStore.checkpoint(build);
      const held = await this.readStore.load(build, projection.name, ids);
      return { checkpoint, held, build };
    } catch (error) {
      if (error instanceof ReadStoreUnavailable) return undefined;
      throw error;
    }
  }

  /** Where nobody can tell, the stream is folded from its beginning. */
  private async hasNone(build: Build, stream: string): Promise<boolean> {
    try {
      return await hasNoDocument(this.readStore, build, stream);
    } catch (error) {
      if (error instanceof ReadStoreUnavailable) return true;
      throw error;
    }
  }

  private async buildOf(projection: Projection) {
    const generation = await this.readStore.active(projection.name);
    if (generation === undefined || !isOfVersion(projection, generation)) return undefined;
    return { projection: projection.name, generation };
  }

  /** Pages from the end of a stream towards its beginning, each newest first. */
  private async *backward(stream: string): AsyncIterable<readonly RecordedEvent[]> {
    let from: number | undefined;
    for (let number = 0; ; number += 1) {
      const limit = backwardPages[number] ?? backwardPages.at(-1) ?? 1;
      const options = { direction: 'backward', limit, ...(from === undefined ? {} : { from }) } as const;
      const page = await this.store.readStream(stream, options);
      if (page.length > 0) yield page;
      const oldest = page.at(-1);
      if (oldest === undefined || page.length < limit || oldest.revision === 0) return;
      from = oldest.revision - 1;
    }
  }
}
