import type { DatabaseSync } from 'node:sqlite';
import type { Document, Projection, Where } from '../../../kernel/projection.js';
import {
  type Build,
  CheckpointMoved,
  type Held,
  type Query,
  ReadStore,
  type Write,
} from '../../../ports/read-store.port.js';
import { GroupCommit } from '../../sqlite/group-commit.js';
import { Digest, type Line } from '../digest.js';
import { BuildTables } from './build-tables.js';
import { Documents } from './documents.js';
import { explain, isDamage, isTableGone } from './failure.js';
import { markDamaged, type Options, openFile } from './open.js';
import { Statements } from './statements.js';

type Collections = Projection['collections'];

/** Commits wait this long to be batched with others, unless a reader is waiting. */
const patienceMs = 50;

interface Commit {
  readonly build: Build;
  readonly expected: number;
  readonly checkpoint: number;
  readonly writes: readonly Write[];
}

/**
 * Documents as JSON in one SQLite file of the data directory, which several processes may have open. A field that is
 * filtered or sorted must hold scalars of one type, or null, or be absent. All work is done synchronously in the
 * caller's turn: a read takes microseconds, so passing it to another thread would only make it slower.
 */
export class EmbeddedReadStore extends ReadStore {
  private readonly database: DatabaseSync;
  private readonly statements: Statements;
  private readonly tables: BuildTables;
  private readonly documents: Documents;
  private readonly commits = new GroupCommit<Commit, void>((commits) => this.commitAll(commits), patienceMs);

  /** Opens the file, or a new one when it cannot be used. @throws ReadStoreUnavailable */
  constructor(private readonly options: Options) {
    super();
    this.database = this.explained(() => openFile(options));
    this.statements = new Statements(this.database);
    this.tables = new BuildTables(this.statements);
    this.documents = new Documents(this.statements);
  }

  async prepare(build: Build, collections: Collections): Promise<void> {
    this.write(() => {
      this.tables.prepare(build, collections);
      const register = 'INSERT INTO builds (projection, generation) VALUES (?, ?) ON CONFLICT DO NOTHING';
      this.statements.of(register).run(build.projection, build.generation);
    });
  }

  async active(projection: string): Promise<string | undefined> {
    return this.read(() => this.tables.activeGeneration(projection));
  }

  async activate(build: Build, collections: Collections): Promise<void> {
    this.write(() => {
      for (const collection of Object.keys(collections)) this.tables.of(build, collection);
      if (this.checkpointOf(build) === undefined) throw new Error(`There is no build ${nameOf(build)} to activate.`);
      const choose = 'UPDATE builds SET active = (generation = ?) WHERE projection = ?';
      this.statements.of(choose).run(build.generation, build.projection);
      this.tables.changed();
    });
  }

  async discard(build: Build, _collections: Collections): Promise<void> {
    this.write(() => {
      if (this.tables.activeGeneration(build.projection) === build.generation) {
        throw new Error(`The build ${nameOf(build)} is the active one and is not discarded.`);
      }
      this.tables.discard(build);
    });
  }

  async builds(projection: string): Promise<readonly string[]> {
    const all = 'SELECT generation FROM builds WHERE projection = ? ORDER BY generation';
    return this.read(() =>
      this.statements
        .of(all)
        .all(projection)
        .map((row) => String(row.generation)),
    );
  }

  async checkpoint(build: Build): Promise<number> {
    return this.read(() => this.checkpointOf(build) ?? -1);
  }

  async load(build: Build, collection: string, ids: readonly string[]): Promise<ReadonlyMap<string, Held>> {
    return this.read(() => this.documents.load(this.tables.of(build, collection), ids));
  }

  override flushSoon(): void {
    this.commits.hurry();
  }

  /** Commits wait a moment to share a transaction, and with it the pages they touch. */
  override commit(build: Build, expected: number, checkpoint: number, writes: readonly Write[]): Promise<void> {
    return this.commits.submit({ build, expected, checkpoint, writes });
  }

  async digest(build: Build, collections: Collections): Promise<string> {
    const names = Object.keys(collections).sort();
    return this.read(() =>
      this.statements.snapshot(() => {
        const digest = new Digest();
        for (const line of this.lines(build, names)) digest.add(line);
        return digest.end();
      }),
    );
  }

  async get<D extends Document>(collection: string, id: string): Promise<D | undefined> {
    return this.read(() => {
      const table = this.tables.active(collection);
      return table === undefined ? undefined : (this.documents.get(table, id) as D | undefined);
    });
  }

  async find<D extends Document>(collection: string, query: Query): Promise<readonly D[]> {
    return this.read(() => {
      const table = this.tables.active(collection);
      return table === undefined ? [] : (this.documents.find(table, query) as readonly D[]);
    });
  }

  async count(collection: string, where: Where): Promise<number> {
    return this.read(() => {
      const table = this.tables.active(collection);
      return table === undefined ? 0 : this.documents.count(table, where);
    });
  }

  async check(): Promise<void> {
    // Writes some pages, because a store that can only be read is not healthy.
    this.write(() => this.statements.of('INSERT OR REPLACE INTO probe VALUES (1, zeroblob(32768))').run());
    this.write(() => this.statements.of('DELETE FROM probe').run());
  }

  async close(): Promise<void> {
    if (this.database.isOpen) this.commits.flush();
    if (this.database.isOpen) this.database.close();
  }

  private commitAll(commits: readonly Commit[]): readonly PromiseSettledResult<void>[] {
    let results: readonly PromiseSettledResult<void>[] = [];
    this.write(() => {
      results = commits.map((commit) => this.commitOne(commit, commits.length > 1));
    });
    return results;
  }

  /** A commit that fails is rolled back alone; an error of the file ends the whole transaction. */
  private commitOne(commit: Commit, guarded: boolean): PromiseSettledResult<void> {
    try {
      if (guarded) this.statements.of('SAVEPOINT one').run();
      this.apply(commit);
      if (guarded) this.statements.of('RELEASE one').run();
      return { status: 'fulfilled', value: undefined };
    } catch (reason) {
      if (!guarded || explain(reason) !== reason || !this.database.isTransaction) throw reason;
      this.statements.of('ROLLBACK TO one').run();
      this.statements.of('RELEASE one').run();
      return { status: 'rejected', reason };
    }
  }

  private apply({ build, expected, checkpoint, writes }: Commit): void {
    this.moveCheckpoint(build, expected, checkpoint);
    // Looked up once per collection: nobody can change the tables during this transaction.
    const tables = new Map<string, string>();
    for (const write of writes) {
      const table = tables.get(write.collection) ?? this.tables.of(build, write.collection);
      tables.set(write.collection, table);
      this.documents.apply(table, write);
    }
  }

  private checkpointOf({ projection, generation }: Build): number | undefined {
    const one = 'SELECT checkpoint FROM builds WHERE projection = ? AND generation = ?';
    const row = this.statements.of(one).get(projection, generation);
    return row && Number(row.checkpoint);
  }

  private moveCheckpoint(build: Build, expected: number, checkpoint: number): void {
    const stands = this.checkpointOf(build) ?? -1;
    if (stands !== expected) {
      throw new CheckpointMoved(`The checkpoint of ${nameOf(build)} stands at ${stands}, not at ${expected}.`);
    }
    const move = `INSERT INTO builds (projection, generation, checkpoint) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET checkpoint = excluded.checkpoint`;
    this.statements.of(move).run(build.projection, build.generation, checkpoint);
  }

  private *lines(build: Build, collections: readonly string[]): Iterable<Line> {
    for (const collection of collections) {
      for (const document of this.documents.all(this.tables.of(build, collection))) yield { collection, document };
    }
  }

  private write(work: () => unknown): void {
    this.explained(() => {
      try {
        this.statements.write(work);
      } catch (error) {
        this.tables.forget();
        throw error;
      }
    });
  }

  private read<T>(work: () => T): T {
    return this.explained(() => {
      try {
        return work();
      } catch (error) {
        // Between looking up the active build and reading it, another process may have switched to a new build and
        // discarded it.
        if (!isTableGone(error)) throw error;
        this.tables.forget();
        return work();
      }
    });
  }

  private explained<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isDamage(error)) markDamaged(this.options.directory);
      throw explain(error);
    }
  }
}

const nameOf = (build: Build) => `${build.projection} ${build.generation}`;
