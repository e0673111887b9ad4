import { type Build, CheckpointMoved } from '../../../../ports/read-store.port.js';
import type { Documents } from '../documents.js';
import { explainedFailure } from '../failure.js';
import type { Statements } from '../statements.js';
import type { BuildTable, BuildTables } from '../tables/build-tables.js';
import type { Commit } from './commit-texts.js';
import type { Wiping } from './wiping.js';

export class Committer {
  constructor(
    private readonly statements: Statements,
    private readonly tables: BuildTables,
    private readonly documents: Documents,
    private readonly wiping: Wiping,
  ) {}

  /**
   * Writes all commits in one transaction. A commit whose result is rejected was not written.
   * @throws Error if nothing was written
   */
  commit(commits: readonly Commit[]): readonly PromiseSettledResult<void>[] {
    try {
      const results = this.statements.write(() => commits.map((commit) => this.commitOne(commit, commits.length > 1)));
      if (commits.some(({ writes }) => writes.some((write) => 'erases' in write))) this.wiping.erased();
      return results;
    } catch (error) {
      this.tables.forget();
      throw error;
    }
  }

  checkpointOf({ projection, generation }: Build): number | undefined {
    const one = 'SELECT checkpoint FROM builds WHERE projection = ? AND generation = ?';
    const row = this.statements.prepared(one).get(projection, generation);
    return row && Number(row.checkpoint);
  }

  /**
   * If `guarded`, a failure rolls back only this commit, and the result is rejected. Errors of the file or the machine
   * are thrown, and so is every error after which SQLite has already rolled back the transaction.
   */
  private commitOne(commit: Commit, guarded: boolean): PromiseSettledResult<void> {
    try {
      if (guarded) this.statements.prepared('SAVEPOINT one').run();
      this.apply(commit);
      if (guarded) this.statements.prepared('RELEASE one').run();
      return { status: 'fulfilled', value: undefined };
    } catch (reason) {
      if (!guarded || explainedFailure(reason) !== reason || !this.statements.isInTransaction) throw reason;
      this.statements.prepared('ROLLBACK TO one').run();
      this.statements.prepared('RELEASE one').run();
      this.tables.forget();
      return { status: 'rejected', reason };
    }
  }

  private apply({ build, expected, checkpoint, writes }: Commit): void {
    this.moveCheckpoint(build, expected, checkpoint);
    const rooms = new Map<string, BuildTable>();
    for (const write of writes) {
      const room = rooms.get(write.collection) ?? this.tables.tableFor(build, write.collection);
      rooms.set(write.collection, room);
      switch (write.kind) {
        case 'index':
          this.tables.addPartIndex(build, write.collection, write.index);
          rooms.delete(write.collection);
          break;
        case 'dropIndex':
          this.tables.dropPartIndexes(build, write.collection, write.index);
          rooms.delete(write.collection);
          break;
        case 'put':
        case 'remove':
        case 'removeWhere':
          this.documents.apply(room, write);
      }
    }
  }

  private moveCheckpoint(build: Build, expected: number, checkpoint: number): void {
    const current = this.checkpointOf(build) ?? -1;
    if (current !== expected) {
      throw new CheckpointMoved(`The checkpoint of ${buildName(build)} is at ${current}, not at ${expected}.`);
    }
    const move = `INSERT INTO builds (projection, generation, checkpoint) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET checkpoint = excluded.checkpoint`;
    this.statements.prepared(move).run(build.projection, build.generation, checkpoint);
  }
}

export const buildName = (build: Build) => `${build.projection} ${build.generation}`;
