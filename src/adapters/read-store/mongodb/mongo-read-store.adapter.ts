import { Logger } from '@nestjs/common';
import { KeyedMutex } from '../../../kernel/keyed-mutex.js';
import type { Document, Projection, Where } from '../../../kernel/record/projection.js';
import { type Group, reported } from '../../../kernel/rows/row-report.js';
import { throttledLog } from '../../../kernel/throttled-log.js';
import {
  type Build,
  type Counting,
  type Narrowing,
  type PositionedDocument,
  type Query,
  type QueryLimitsByCaller,
  ReadStore,
  ReadStoreUnavailable,
  type Report,
  type Shared,
  type Watched,
  type Write,
} from '../../../ports/read-store.port.js';
import { MongoConnection, type MongoOptions } from '../../mongodb/mongo-connection.js';
import { isGone, mongoErrorText } from '../../mongodb/mongo-errors.js';
import { BlockedByTransaction } from '../../mongodb/open-transactions.js';
import { Digest, type Line } from '../digest.js';
import { BuildCollections } from './build-collections.js';
import { beforeFirstEvent, Checkpoints } from './checkpoints.js';
import { CollectionReader, type CollectionResult } from './collection-reader.js';
import { CollectionWriter, isDuplicateAlone, type WriteMode } from './collection-writer.js';
import type { Stored } from './fields.js';
import { LimitedQueries, type QueryShare } from './limited-queries.js';
import { probeName } from './names.js';
import { type Phase, phasesOf } from './phases.js';

type Collections = Projection['collections'];

export interface MongoReadStoreOptions extends MongoOptions {
  readonly reportEveryMs?: number;
  /** Longest time, in milliseconds, for which a start waits for an open transaction of a killed process. */
  readonly transactionsMs?: number;
  /** For tests. Default: `queryLimits`. */
  readonly limits?: QueryLimitsByCaller;
}

/**
 * Stores documents in MongoDB, for any number of processes. A field that queries filter or sort by must have scalars of
 * one type, or be null or absent. The first write of a commit's transaction moves the checkpoint, so a delayed writer's
 * commit fails, and a commit whose response was lost may be repeated.
 */
export class MongoReadStore extends ReadStore {
  private readonly log = new Logger('ReadModels');
  private readonly connection: MongoConnection;
  private readonly collections: BuildCollections;
  private readonly checkpoints: Checkpoints;
  private readonly queries: LimitedQueries;
  /** A commit that fails also fails those that wait for it, because it may have succeeded without its answer. */
  private readonly commits = new KeyedMutex(() => true);
  private readonly reportEveryMs: number | undefined;

  /** @throws Error if the URL is invalid */
  constructor({ reportEveryMs, transactionsMs, limits, ...options }: MongoReadStoreOptions) {
    super();
    this.queries = new LimitedQueries(limits);
    this.reportEveryMs = reportEveryMs;
    this.connection = new MongoConnection(options);
    const warn = throttledLog((sentence) => this.log.warn(sentence));
    this.checkpoints = new Checkpoints(this.connection, { longestMs: transactionsMs, onWaiting: warn });
    this.collections = new BuildCollections(this.connection, this.checkpoints);
  }

  override prepare(build: Build, collections: Collections, watched: Watched = {}): Promise<void> {
    return this.reach(async () => {
      await this.connection.mustBeReplicated();
      const { reportEveryMs: everyMs } = this;
      const watching = { ...watched, ...(everyMs === undefined ? {} : { everyMs }) };
      // Removes the leftovers of an interrupted discard, which would become documents of the new build.
      if (await this.collections.isLeaving(build)) await this.emptied(build, collections);
      while (!(await this.collections.prepare(build, collections, watching))) await this.emptied(build, collections);
      await this.checkpoints.open(build, beforeFirstEvent);
    });
  }

  override active(projection: string): Promise<string | undefined> {
    return this.reach(() => this.collections.activeGeneration(projection));
  }

  override activate(build: Build, collections: Collections): Promise<void> {
    return this.reach(() => this.collections.activate(build, collections));
  }

  override discard(build: Build, collections: Collections): Promise<void> {
    return this.reach(() => this.emptied(build, collections));
  }

  override builds(projection: string): Promise<readonly string[]> {
    return this.reach(async () => {
      const all = [await this.collections.generations(projection), await this.checkpoints.generations(projection)];
      return [...new Set(all.flat())].sort();
    });
  }

  override checkpoint(build: Build): Promise<number> {
    return this.reach(() => this.collections.shared.checkpointOf(build));
  }

  override shared(area: string): Promise<Shared | undefined> {
    return this.reach(() => this.collections.shared.buildsOf(area));
  }

  override share(next: Build, former: string | undefined, at: number, members: readonly Build[]): Promise<void> {
    return this.reach(() => this.collections.shared.share(next, former, at, members));
  }

  override leave(build: Build): Promise<void> {
    return this.reach(() => this.collections.shared.leave(build));
  }

  override load(
    build: Build,
    collection: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, PositionedDocument>> {
    return this.reach(async () =>
      this.reader((await this.collections.collectionFor(build, collection)).name).load(ids),
    );
  }

  override commit(build: Build, expected: number, checkpoint: number, writes: readonly Write[]): Promise<void> {
    const { projection, generation } = build;
    return this.commits.run(`${projection} ${generation}`, () => this.written(build, expected, checkpoint, writes));
  }

  private written(build: Build, expected: number, checkpoint: number, writes: readonly Write[]): Promise<void> {
    return this.reach(async () => {
      const rooms = await Promise.all([...phasesOf(writes)].map((one) => this.writing(build, checkpoint, ...one)));
      if (rooms.length === 0) return this.checkpoints.move(build, expected, checkpoint);
      const commit = (way: WriteMode) =>
        this.checkpoints.moveWith(build, expected, checkpoint, async (session) => {
          for (const { writer, phases } of rooms) for (const phase of phases) await writer.write(phase, way, session);
        });
      await commit('over').catch((error: unknown) => {
        if (!isDuplicateAlone(error)) throw error;
        return commit('anew');
      });
    });
  }

  override digest(build: Build, collections: Collections): Promise<string> {
    return this.reach(async () => {
      const digest = new Digest();
      for await (const line of this.lines(build, Object.keys(collections).sort())) digest.add(line);
      return digest.hex();
    });
  }

  override get<D extends Document>(collection: string, id: string): Promise<D | undefined> {
    return this.read(collection, undefined, async (room) => (await room.get(id)) as CollectionResult<D | undefined>);
  }

  override find<D extends Document>(collection: string, query: Query): Promise<readonly D[]> {
    const find = async (room: CollectionReader) => (await room.find(query)) as CollectionResult<readonly D[]>;
    return this.read(collection, [], find, query.missing === 'last' || isNarrowed(query) ? shareOf(query) : undefined);
  }

  override count(collection: string, where: Where, counting: Counting = {}): Promise<number> {
    const share = isNarrowed(counting) ? shareOf({ where, ...counting }) : undefined;
    return this.read(collection, 0, (room) => room.count(where, counting), share);
  }

  override groups(collection: string, report: Report): Promise<readonly Group[]> {
    return this.read(collection, reported([], report), (room) => room.groups(report), shareOf(report));
  }

  override check(): Promise<void> {
    return this.reach(async () => {
      await this.connection.mustBeReplicated();
      const probe = this.connection.collection<{ readonly _id: string }>(probeName);
      await probe.updateOne({ _id: 'probe' }, { $set: { at: new Date() } }, { upsert: true });
      await probe.findOne({ _id: 'probe' });
    });
  }

  override close(): Promise<void> {
    return this.connection.close();
  }

  private emptied(build: Build, collections: Collections): Promise<void> {
    return this.collections.discard(build, collections, () => this.checkpoints.forget(build));
  }

  /**
   * MongoDB treats a collection that was just discarded as empty. So a result that may come from a discarded build is
   * accepted only if that build is still active after the read. Otherwise the build that is active by then is read.
   * @param share if given, the limits of customers' queries apply
   */
  private read<T>(
    collection: string,
    nothing: T,
    work: (room: CollectionReader) => Promise<CollectionResult<T>>,
    share?: QueryShare,
  ): Promise<T> {
    const read = (maxTimeMS?: number) => this.reach(() => this.found(collection, nothing, work, maxTimeMS));
    return share === undefined ? read() : this.queries.run(share, read);
  }

  private async found<T>(
    collection: string,
    nothing: T,
    work: (room: CollectionReader) => Promise<CollectionResult<T>>,
    maxTimeMS?: number,
  ): Promise<T> {
    const name = await this.collections.active(collection);
    const first = name === undefined ? undefined : await work(this.reader(name, maxTimeMS)).catch(ifGone);
    if (first !== undefined && !first.doubtful) return first.found;
    if (name === undefined) return nothing;
    const now = await this.collections.active(collection, 'now');
    if (first !== undefined && now === name) return first.found;
    return now === undefined ? nothing : (await work(this.reader(now, maxTimeMS))).found;
  }

  private async writing(build: Build, checkpoint: number, collection: string, phases: readonly Phase[]) {
    const { name, searchable } = await this.collections.collectionFor(build, collection);
    const { maxTimeMS } = this.connection;
    return { phases, writer: new CollectionWriter(this.room(name), collection, checkpoint, maxTimeMS, searchable) };
  }

  private async *lines(build: Build, collections: readonly string[]): AsyncIterable<Line> {
    for (const collection of collections) {
      const room = this.reader((await this.collections.collectionFor(build, collection)).name);
      for await (const document of room.all()) yield { collection, document };
    }
  }

  private room(name: string) {
    return this.connection.collection<Stored>(name);
  }

  private reader(name: string, mostMs = Number.POSITIVE_INFINITY): CollectionReader {
    const { reads, maxTimeMS } = this.connection;
    return new CollectionReader(this.room(name), { ...reads, maxTimeMS: Math.min(maxTimeMS, mostMs) });
  }

  private async reach<T>(work: () => Promise<T>): Promise<T> {
    if (this.connection.closed) {
      throw new ReadStoreUnavailable('The read store is closed: the service is stopping.');
    }
    try {
      return await work();
    } catch (error) {
      const trouble = error instanceof BlockedByTransaction ? error.message : mongoErrorText(error);
      if (trouble === undefined) throw error;
      throw new ReadStoreUnavailable(`The read store is not available: ${trouble}.`, { cause: error });
    }
  }
}

const isNarrowed = ({ filter, search }: Narrowing) => filter !== undefined || search !== undefined;

const shareOf = ({ where, visitedSite }: Pick<Query, 'where' | 'visitedSite'>): QueryShare => ({
  workspace: String(where['workspaceId'] ?? ''),
  visitedSite,
});

function ifGone(error: unknown): undefined {
  if (isGone(error)) return undefined;
  throw error;
}
