import type { DatabaseSync } from 'node:sqlite';
import type { Document, Projection, Where } from '../../../kernel/record/projection.js';
import type { Group } from '../../../kernel/rows/row-report.js';
import {
  type Build,
  type Counting,
  type Narrowing,
  type PositionedDocument,
  type PreparedCollections,
  type Query,
  ReadStore,
  type Report,
  type Shared,
  type Write,
} from '../../../ports/read-store.port.js';
import { GroupCommit } from '../../sqlite/group-commit.js';
import { Digest, type Line } from '../digest.js';
import { type Commit, isBulk, writeTexts } from './commits/commit-texts.js';
import type { CommitThread } from './commits/commit-thread.js';
import { CommitThreads } from './commits/commit-threads.js';
import { buildName, Committer } from './commits/committer.js';
import { Wiping } from './commits/wiping.js';
import { Documents } from './documents.js';
import { explainedFailure, isDamage, isTableGone } from './failure.js';
import { markDamaged, type Options, openFile } from './open.js';
import { RowMemory } from './queries/row-memory.js';
import { RowQueries } from './queries/row-queries.js';
import { RowThreads } from './queries/row-threads.js';
import { Statements } from './statements.js';
import { type BuildTable, BuildTables } from './tables/build-tables.js';
import { SharedBuilds } from './tables/shared-builds.js';

type Collections = Projection['collections'];

/**
 * Stores documents as JSON in one SQLite file, which several processes can have open. A field that queries filter or
 * sort by must have scalars of one type, or be null or absent. Work that can take long runs in threads.
 */
export class EmbeddedReadStore extends ReadStore {
  private readonly database: DatabaseSync;
  private readonly statements: Statements;
  private readonly tables: BuildTables;
  private readonly memory: RowMemory;
  private readonly documents: Documents;
  private readonly committer: Committer;
  private readonly wiping: Wiping;
  private readonly together: SharedBuilds;
  private readonly queries: RowQueries;
  private readonly rows: RowThreads;
  private readonly commits: GroupCommit<Commit, void>;
  private readonly threads: CommitThreads;

  /** Opens the file. If it is unusable, sets it aside and creates a new one. @throws ReadStoreUnavailable */
  constructor(private readonly options: Options) {
    super();
    this.database = this.explained(() => openFile(options));
    this.statements = new Statements(this.database);
    this.tables = new BuildTables(this.statements);
    this.memory = new RowMemory(this.database);
    this.documents = new Documents(this.statements, this.memory);
    this.wiping = new Wiping(this.statements, options.directory);
    this.committer = new Committer(this.statements, this.tables, this.documents, this.wiping);
    this.together = new SharedBuilds(this.statements);
    this.queries = new RowQueries(this.statements);
    this.rows = new RowThreads(options);
    this.threads = new CommitThreads(options);
    this.commits = new GroupCommit(
      (commits) => this.threads.afterMainWrites(() => this.commitAll(commits)),
      options.patienceMs ?? 50,
    );
    this.wiping.soon();
  }

  async prepare(build: Build, collections: PreparedCollections): Promise<void> {
    // Creating an index over many documents takes seconds, so the commit thread does it without blocking the main
    // thread.
    if (this.read(() => this.tables.missing(build, collections)).length > 0) {
      await this.threads.index(build, collections).catch((error: unknown) => this.fail(error));
    }
    await this.write(() => {
      this.tables.prepare(build, collections);
      const register = 'INSERT INTO builds (projection, generation) VALUES (?, ?) ON CONFLICT DO NOTHING';
      this.statements.prepared(register).run(build.projection, build.generation);
    });
  }

  async active(projection: string): Promise<string | undefined> {
    return this.read(() => this.tables.activeGeneration(projection));
  }

  async activate(build: Build, collections: Collections): Promise<void> {
    await this.write(() => {
      for (const collection of Object.keys(collections)) this.tables.tableFor(build, collection);
      if (this.committer.checkpointOf(build) === undefined)
        throw new Error(`There is no build ${buildName(build)} to activate.`);
      this.tables.activate(build);
    });
  }

  async discard(build: Build, _collections: Collections): Promise<void> {
    await this.write(() => {
      if (this.tables.activeGeneration(build.projection) === build.generation) {
        throw new Error(`The build ${buildName(build)} is active and cannot be discarded.`);
      }
      this.tables.discard(build);
    });
    this.wiping.soon();
  }

  async builds(projection: string): Promise<readonly string[]> {
    const all = 'SELECT generation FROM builds WHERE projection = ? ORDER BY generation';
    const rows = this.read(() => this.statements.prepared(all).all(projection));
    return rows.map(({ generation }) => String(generation));
  }

  async checkpoint(build: Build): Promise<number> {
    return this.read(() => this.together.checkpointOf(build) ?? -1);
  }

  async shared(area: string): Promise<Shared | undefined> {
    return this.read(() => this.statements.snapshot(() => this.together.buildsOf(area)));
  }

  async share(next: Build, former: string | undefined, at: number, members: readonly Build[]): Promise<void> {
    await this.write(() => {
      this.together.share(next, former, at, members);
      this.tables.changed();
    });
  }

  async leave(build: Build): Promise<void> {
    await this.write(() => {
      this.together.leave(build);
      this.tables.changed();
    });
  }

  async load(
    build: Build,
    collection: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, PositionedDocument>> {
    return this.read(() => this.documents.load(this.tables.tableFor(build, collection).table, ids));
  }

  override version(): number {
    return this.read(() => this.memory.version());
  }

  override flushSoon(): void {
    // Flushes bulk writes at once, so that the commit thread works on them while the main thread continues.
    if (isBulk(this.commits.works)) this.commits.flush();
    else this.commits.hurry();
  }

  /** Waits briefly, so that several commits can share a transaction and write each page only once. */
  override async commit(build: Build, expected: number, checkpoint: number, writes: readonly Write[]): Promise<void> {
    return this.commits.submit({ build, expected, checkpoint, writes: writes.map(writeTexts) });
  }

  async digest(build: Build, collections: Collections): Promise<string> {
    const names = Object.keys(collections).sort();
    return this.read(() =>
      this.statements.snapshot(() => {
        const digest = new Digest();
        for (const line of this.lines(build, names)) digest.add(line);
        return digest.hex();
      }),
    );
  }

  async get<D extends Document>(collection: string, id: string): Promise<D | undefined> {
    return this.onTable(collection, undefined, ({ table }) => this.documents.get(table, id) as D | undefined);
  }

  async find<D extends Document>(collection: string, query: Query): Promise<readonly D[]> {
    if (query.missing === undefined && !isNarrowed(query)) {
      return this.onTable(collection, [], (room) => this.documents.find(room, query) as readonly D[]);
    }
    const quickly = this.onTable(collection, [], (room) => this.queries.findQuickly(room, query));
    if (quickly !== undefined) return quickly.map((text): D => JSON.parse(text));
    return this.threaded(() => this.rows.find(collection, query) as Promise<readonly D[]>);
  }

  async count(collection: string, where: Where, counting: Counting = {}): Promise<number> {
    const mayBeLarge = this.onTable(collection, false, ({ searchable }) => searchable !== undefined);
    if (mayBeLarge || isNarrowed(counting)) {
      return this.threaded(() => this.rows.count(collection, where, counting));
    }
    const count = this.onTable(collection, 0, (room) => this.documents.count(room, where));
    return Math.min(count, counting.most ?? count);
  }

  async groups(collection: string, report: Report): Promise<readonly Group[]> {
    return this.threaded(() => this.rows.groups(collection, report));
  }

  async check(): Promise<void> {
    // Writes some pages, because a store that can only be read is not healthy.
    await this.write(() => this.statements.prepared('INSERT OR REPLACE INTO probe VALUES (1, zeroblob(32768))').run());
    await this.write(() => this.statements.prepared('DELETE FROM probe').run());
  }

  async close(): Promise<void> {
    if (this.database.isOpen) this.commits.flush();
    await this.threads.mainWritesDone;
    this.wiping.stop();
    await Promise.all([this.threads.close(), this.rows.close()]);
    if (this.database.isOpen) this.database.close();
  }

  private commitAll(commits: readonly Commit[]): ReturnType<Committer['commit']> | ReturnType<CommitThread['commit']> {
    const thread = this.threads.for(commits);
    if (thread !== undefined) return this.committedBy(thread, commits);
    try {
      return this.explained(() => this.committer.commit(commits));
    } finally {
      this.memory.forget();
    }
  }

  private async committedBy(thread: CommitThread, commits: readonly Commit[]): ReturnType<CommitThread['commit']> {
    try {
      return await thread.commit(commits);
    } catch (error) {
      return this.fail(error);
    } finally {
      // Clears the cache after a failure too, because the commits might have been written nevertheless.
      this.memory.forget();
    }
  }

  private *lines(build: Build, collections: readonly string[]): Iterable<Line> {
    for (const collection of collections) {
      for (const document of this.documents.all(this.tables.tableFor(build, collection).table))
        yield { collection, document };
    }
  }

  private write(work: () => unknown): Promise<void> {
    return this.threads.whileIdle(() =>
      this.explained(() => {
        try {
          this.statements.write(work);
        } catch (error) {
          this.tables.forget();
          throw error;
        } finally {
          this.memory.forget();
        }
      }),
    );
  }

  private onTable<T>(collection: string, nothing: T, work: (room: BuildTable) => T): T {
    return this.read(() => {
      const room = this.tables.active(collection);
      return room === undefined ? nothing : work(room);
    });
  }

  private read<T>(work: () => T): T {
    return this.explained(() => {
      try {
        return work();
      } catch (error) {
        // If the table is gone, another process has activated a new build and discarded the one that was looked up. The
        // second attempt finds the new one.
        if (!isTableGone(error)) throw error;
        this.tables.forget();
        return work();
      }
    });
  }

  private async threaded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      return this.fail(error);
    }
  }

  private explained<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      return this.fail(error);
    }
  }

  private fail(error: unknown): never {
    if (isDamage(error)) markDamaged(this.options.directory);
    throw explainedFailure(error);
  }
}

const isNarrowed = ({ filter, search }: Narrowing) => filter !== undefined || search !== undefined;
