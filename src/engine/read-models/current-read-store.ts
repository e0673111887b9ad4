import { streamOf } from '../../kernel/event/stream-name.js';
import type { Document, Projection, Where } from '../../kernel/record/projection.js';
import { hasNeeds, lackingFor, withoutNeeds } from '../../kernel/record/understanding.js';
import type { Group } from '../../kernel/rows/row-report.js';
import {
  type Build,
  type Counting,
  type PositionedDocument,
  type PreparedCollections,
  QueriesTaken,
  type Query,
  QueryGivenUp,
  ReadStore,
  type Report,
  type Shared,
  type Watched,
  type Write,
} from '../../ports/read-store.port.js';
import { refuse } from '../refusals/engine.refusals.js';
import { NewerRecords } from './newer-records.js';
import { quarantinedEvent, withoutMark } from './quarantine.js';
import type { ReadModels } from './read-models.js';
import type { ReadYourWrites } from './read-your-writes.js';
import { newerAfterSeconds } from './understood-log.js';

type Collections = Projection['collections'];

/**
 * Queries wait, for a limited time, until the collection includes everything that was recorded before, as far as this
 * process knows. `get` refuses a quarantined record; `find` returns it as it was before the quarantined event.
 */
export class CurrentReadStore extends ReadStore {
  constructor(
    private readonly store: ReadStore,
    private readonly readYourWrites: ReadYourWrites,
    private readonly models: ReadModels,
    private readonly newer = new NewerRecords(),
  ) {
    super();
  }

  override async get<D extends Document>(collection: string, id: string, includes?: number): Promise<D | undefined> {
    await this.caughtUp(collection, includes);
    const document = await this.store.get<D>(collection, id);
    const missed = quarantinedEvent(document);
    if (missed !== undefined) refuse('record-set-aside', { type: missed.type });
    if (document === undefined) return undefined;
    this.mustBeUnderstood(collection, document);
    return withoutNeeds(document);
  }

  override async find<D extends Document>(collection: string, query: Query): Promise<readonly D[]> {
    await this.caughtUp(collection);
    const found = await answered(this.store.find<D>(collection, query));
    const isMarked = (document: D) => quarantinedEvent(document) !== undefined || hasNeeds(document);
    return found.some(isMarked) ? found.map((document) => withoutNeeds(withoutMark(document))) : found;
  }

  override async count(collection: string, where: Where, counting?: Counting): Promise<number> {
    await this.caughtUp(collection);
    return answered(this.store.count(collection, where, counting));
  }

  override async groups(collection: string, report: Report): Promise<readonly Group[]> {
    await this.caughtUp(collection);
    return answered(this.store.groups(collection, report));
  }

  override commit(build: Build, expected: number, checkpoint: number, writes: readonly Write[]): Promise<void> {
    const committed = this.store.commit(build, expected, checkpoint, writes);
    if (this.readYourWrites.awaited()) this.store.flushSoon();
    return committed;
  }

  override version(): number | undefined {
    return this.store.version();
  }

  override flushSoon(): void {
    this.store.flushSoon();
  }

  override prepare(build: Build, collections: PreparedCollections, watched?: Watched): Promise<void> {
    return this.store.prepare(build, collections, watched);
  }

  override active(projection: string): Promise<string | undefined> {
    return this.store.active(projection);
  }

  override activate(build: Build, collections: Collections): Promise<void> {
    return this.store.activate(build, collections);
  }

  override discard(build: Build, collections: Collections): Promise<void> {
    return this.store.discard(build, collections);
  }

  override builds(projection: string): Promise<readonly string[]> {
    return this.store.builds(projection);
  }

  override shared(area: string): Promise<Shared | undefined> {
    return this.store.shared(area);
  }

  override share(next: Build, former: string | undefined, at: number, members: readonly Build[]): Promise<void> {
    return this.store.share(next, former, at, members);
  }

  override leave(build: Build): Promise<void> {
    return this.store.leave(build);
  }

  override checkpoint(build: Build): Promise<number> {
    return this.store.checkpoint(build);
  }

  override load(
    build: Build,
    collection: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, PositionedDocument>> {
    return this.store.load(build, collection, ids);
  }

  override digest(build: Build, collections: Collections): Promise<string> {
    return this.store.digest(build, collections);
  }

  override check(): Promise<void> {
    return this.store.check();
  }

  override close(): Promise<void> {
    return this.store.close();
  }

  private mustBeUnderstood(collection: string, document: Document): void {
    const category = this.models.categoryOf(collection);
    if (category === undefined) return;
    const met = this.newer.none ? undefined : this.newer.lacking(streamOf(category, document.workspaceId, document.id));
    const type = met ?? lackingFor(document, category);
    if (type !== undefined) refuse('newer-version-needed', { type }, { retryAfterSeconds: newerAfterSeconds });
  }

  private async caughtUp(collection: string, includes = Number.POSITIVE_INFINITY): Promise<void> {
    const projection = this.models.builderOf(collection);
    if (projection === undefined || this.readYourWrites.isCurrent(projection)) return;
    const position = Math.min(includes, this.readYourWrites.recorded(projection));
    if (this.readYourWrites.taken(projection) >= position) return;
    this.store.flushSoon();
    await this.readYourWrites.reaches(projection, position);
  }
}

/** @throws Refusal row-queries-taken, row-query-too-long */
async function answered<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    if (error instanceof QueriesTaken) refuse('row-queries-taken', undefined, { retryAfterSeconds: 2 });
    if (error instanceof QueryGivenUp) refuse('row-query-too-long', undefined, { retryAfterSeconds: 60 });
    throw error;
  }
}
