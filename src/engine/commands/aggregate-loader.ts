import { Injectable, Logger } from '@nestjs/common';
import type { DomainEvent, Recorded, RecordedEvent } from '../../kernel/event/event.js';
import { parseStream, streamOf } from '../../kernel/event/stream-name.js';
import type { Aggregate } from '../../kernel/record/aggregate.js';
import type { Document, Projection } from '../../kernel/record/projection.js';
import { lackingFor, withoutNeeds } from '../../kernel/record/understanding.js';
import { throttledLog } from '../../kernel/throttled-log.js';
import { EventStore } from '../../ports/event-store.port.js';
import { type Build, type PositionedDocument, ReadStore, ReadStoreUnavailable } from '../../ports/read-store.port.js';
import { faultReason } from '../cluster/fault-reason.js';
import { PerDryRun } from '../dry-run/dry-run.js';
import type { OperationContext } from '../operation/operation-context.js';
import { isOfVersion } from '../read-models/generation.js';
import { hasNoDocument, quarantinedEvent } from '../read-models/quarantine.js';
import { ReadModels } from '../read-models/read-models.js';
import { ReadYourWrites } from '../read-models/read-your-writes.js';
import { refuse } from '../refusals/engine.refusals.js';
import { AggregateCache, advance, type Loaded } from './aggregate-cache.js';

const backwardPages = [1, 8, 32];
/** A stream with at most this many events is read whole, which is cheaper than loading its document. */
const shortStream = 8;
const forwardPage = 100;

const recordsAtOnce = 20;

interface ReadModelState {
  readonly build: Build;
  readonly checkpoint: number;
  readonly documents: ReadonlyMap<string, PositionedDocument>;
}

/** Includes every event of the record's stream up to the position `upTo`. */
interface Snapshot {
  readonly state: unknown;
  readonly upTo: number;
}

/**
 * Loads an aggregate from the cached state or the read model's document, and folds the events recorded since. The read
 * model folds events with the same function, so the result is the same as from the whole history. If an event cannot be
 * folded, the record is refused with `record-set-aside`.
 */
@Injectable()
export class AggregateLoader {
  private readonly log = new Logger('Records');
  private readonly warn = throttledLog((sentence) => this.log.error(sentence));
  private readonly caches = new PerDryRun(() => new AggregateCache());

  constructor(
    private readonly store: EventStore,
    private readonly readStore: ReadStore,
    private readonly models: ReadModels,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  async load<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    stream: string,
  ): Promise<Loaded<State>> {
    const cached = this.caches.now.get<State>(stream);
    const loaded = cached ? await this.foldFrom(aggregate, stream, cached) : await this.loadCold(aggregate, stream);
    // Reading the first event throws if this version does not know it and must not ignore it. Without this read, the
    // record would be treated as deleted.
    if (!cached && loaded.state === undefined && loaded.revision > 0) await this.store.readStream(stream, { limit: 1 });
    if (loaded !== cached && loaded.revision >= 0) this.caches.now.set(stream, loaded);
    return loaded;
  }

  /** Does not read the stream, so the state can be outdated. */
  known<State>(stream: string): Loaded<State> | undefined {
    return this.caches.now.get<State>(stream);
  }

  remember(stream: string, loaded: Loaded<unknown>): void {
    this.caches.now.set(stream, loaded);
  }

  forget(stream: string): void {
    this.caches.now.forget(stream);
  }

  recordedBy(stream: string, commandId: string, after = -1): Promise<boolean> {
    return this.holds(stream, ({ metadata, position }) => position > after && metadata.commandId === commandId, after);
  }

  /**
   * Returns the first event that an earlier attempt of the call recorded in the record's stream, and the state before
   * it.
   * @param type if given, events of other types are passed over
   */
  async earlierAttempt<State, Event extends DomainEvent>(
    { workspaceId, commandId, repeatable, firstTime, notBefore }: OperationContext,
    { category, initial, evolve }: Aggregate<State, Event>,
    id: string,
    type?: Event['type'],
  ): Promise<{ readonly event: Recorded<Event>; readonly before: State } | undefined> {
    const stream = streamOf(category, workspaceId, id);
    if (!repeatable || firstTime === true || !(await this.recordedBy(stream, commandId, notBefore))) return undefined;
    let before = initial;
    for await (const one of this.history(stream)) {
      const event = one as unknown as Recorded<Event>;
      if (one.metadata.commandId === commandId && (type ?? one.type) === one.type) return { event, before };
      before = evolve(before, event);
    }
    return undefined;
  }

  /**
   * Returns whether the stream has an event for which `isSuch` returns true. Reads the stream backwards, page by page,
   * and stops after a page with an event at or before the log position `after`.
   */
  async holds(stream: string, isSuch: (event: RecordedEvent) => boolean, after = -1): Promise<boolean> {
    for await (const page of this.backward(stream)) {
      if (page.some(isSuch)) return true;
      if (page.some(({ position }) => position <= after)) return false;
    }
    return false;
  }

  /** Returns the records as they were at the log position. Omits records that did not exist then. */
  async *at<Doc extends Document>(
    { category, initial, evolve }: Aggregate<Doc | undefined, DomainEvent>,
    workspaceId: string,
    ids: readonly string[],
    position: number,
  ): AsyncIterable<Doc> {
    for (let from = 0; from < ids.length; from += recordsAtOnce) {
      const some = ids.slice(from, from + recordsAtOnce);
      const found = await this.readModelState(category, some);
      const states = some.map(async (id) => {
        const stored = found !== undefined && found.checkpoint >= position ? found.documents.get(id) : undefined;
        const isOfThen =
          stored !== undefined && stored.position <= position && quarantinedEvent(stored.document) === undefined;
        if (isOfThen && lackingFor(stored.document, category) === undefined)
          return withoutNeeds(stored.document) as Doc;
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

  /** Returns the oldest event first, with one page in memory at a time. */
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
    // The stream is read after the snapshot was loaded, so the read includes every event that the snapshot includes.
    const tail: RecordedEvent[] = [];
    for await (const page of this.backward(stream)) {
      tail.unshift(...page.filter(({ position }) => position > snapshot.upTo).reverse());
      const base = page.find(({ position }) => position <= snapshot.upTo);
      if (base === undefined) continue;
      this.readYourWrites.appended(
        Math.max(base.position, tail.at(-1)?.position ?? -1),
        tail.length > 0 ? tail : [base],
      );
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
      // Another process may have just recorded these events. Our response depends on them, so later reads must include
      // them.
      if (last !== undefined) this.readYourWrites.appended(last.position, events);
      if (events.length < forwardPage) return loaded;
    }
  }

  /** @throws Refusal if an event cannot be folded */
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
    const found = await this.readModelState(category, [id]);
    if (found === undefined) return undefined;
    const stored = found.documents.get(id);
    if (quarantinedEvent(stored?.document) !== undefined) return undefined;
    // A document that includes an event of a type that this version does not know, but must not ignore, is not used.
    // The stream is read instead, which throws the right error.
    if (lackingFor(stored?.document, category) !== undefined) return undefined;
    if (stored === undefined && (await this.hasNone(found.build, stream))) return undefined;
    return { state: stored && withoutNeeds(stored.document), upTo: Math.max(found.checkpoint, stored?.position ?? -1) };
  }

  /** Reads the checkpoint first, so that every document includes at least the events up to the checkpoint. */
  private async readModelState(category: string, ids: readonly string[]): Promise<ReadModelState | undefined> {
    const projection = this.models.recordsOf(category);
    if (projection === undefined) return undefined;
    try {
      const build = await this.buildOf(projection);
      if (build === undefined) return undefined;
      const checkpoint = await this.readStore.checkpoint(build);
      const documents = await this.readStore.load(build, projection.name, ids);
      return { checkpoint, documents, build };
    } catch (error) {
      if (error instanceof ReadStoreUnavailable) return undefined;
      throw error;
    }
  }

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
