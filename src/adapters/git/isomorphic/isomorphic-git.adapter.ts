import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Blobs } from '../../../ports/blobs.port.js';
import {
  GitBusy,
  type GitCommit,
  GitRefused,
  type GitRelation,
  GitRepositories,
  type GitRepository,
  type GitTree,
  type GitWritten,
  gitLimits,
  type NewCommit,
} from '../../../ports/offloaded/git-repositories.port.js';
import { ThreadTurns } from '../../threads/thread-turns.js';
import { TurnsTaken } from '../../turns/workspace-turns.js';
import type { GitAnswer, GitRequest, MadePacks } from './git-protocol.js';
import { PackFolders, packBytesOf } from './pack-folders.js';

export interface IsomorphicGitOptions {
  readonly blobs: Blobs;
  /**
   * Folder of the repositories' packs. Can be removed while the service is stopped, because packs are fetched from
   * `blobs` again.
   */
  readonly folder: string;
}

/** Maximum total size of a repository's packs, in bytes. */
const mostBytes = 1024 * 1024 * 1024;

const patience = { waiting: 16, waitMs: 60_000 };

type LocatedRequest = GitRequest extends infer One
  ? One extends GitRequest
    ? Omit<One, 'folder' | 'packs'>
    : never
  : never;

export class IsomorphicGit extends GitRepositories {
  private readonly folders: PackFolders;
  private readonly turns = new ThreadTurns<GitRequest, GitAnswer>({
    name: 'git',
    beside: import.meta.url,
    script: 'thread.js',
    deadlineMs: 120_000,
    limits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 },
  });
  private received = 0;

  constructor({ blobs, folder }: IsomorphicGitOptions) {
    super();
    this.folders = new PackFolders(folder, blobs);
  }

  override async tree(repository: GitRepository, sha: string): Promise<GitTree> {
    const { tree } = await this.ask(repository, { ask: 'tree', sha }, 'tree');
    return new Map(tree.map(({ path, oid, isExecutable }) => [path, { oid, isExecutable }]));
  }

  override async contents(
    repository: GitRepository,
    oids: readonly string[],
  ): Promise<ReadonlyMap<string, Uint8Array>> {
    if (oids.length === 0) return new Map();
    return new Map((await this.ask(repository, { ask: 'contents', oids }, 'contents')).contents);
  }

  override async commit(repository: GitRepository, { tree, contents, ...commit }: NewCommit): Promise<GitWritten> {
    const sent = { ...commit, tree: [...tree].map(([path, file]) => ({ path, ...file })), contents: [...contents] };
    return await this.written(repository, { ask: 'commit', commit: sent });
  }

  override async log(repository: GitRepository, sha: string, limit: number): Promise<readonly GitCommit[]> {
    return (await this.ask(repository, { ask: 'log', sha, limit }, 'log')).log;
  }

  override async relation(repository: GitRepository, one: string, other: string): Promise<GitRelation> {
    return (await this.ask(repository, { ask: 'relation', one, other }, 'relation')).relation;
  }

  override async has(repository: GitRepository, sha: string): Promise<boolean> {
    return (await this.ask(repository, { ask: 'has', sha }, 'has')).has;
  }

  override async packOf(repository: GitRepository, sha: string, without: readonly string[]): Promise<Uint8Array> {
    return (await this.ask(repository, { ask: 'pack', sha, without }, 'pack')).pack;
  }

  override async receive(repository: GitRepository, sha: string, pack: AsyncIterable<Uint8Array>): Promise<GitWritten> {
    const folder = await this.folders.open(repository);
    const path = join(folder, `received-${process.pid}-${this.received++}.tmp`);
    const file = await open(path, 'w', 0o600);
    try {
      let size = repository.packs.reduce((sum, name) => sum + packBytesOf(name), 0);
      const most = Math.min(mostBytes, size + gitLimits.receivedBytes);
      for await (const piece of pack) {
        size += piece.length;
        if (size > most) throw new GitRefused('The history is larger than this service accepts.');
        await file.write(piece);
      }
      await file.close();
      return await this.written(repository, { ask: 'receive', sha, file: path });
    } finally {
      await file.close().catch(() => undefined);
      await rm(path, { force: true });
    }
  }

  override removeUnnamed(...about: Parameters<GitRepositories['removeUnnamed']>): Promise<void> {
    return this.folders.removeUnnamed(...about);
  }

  override async close(): Promise<void> {
    await this.turns.close();
  }

  private async written(repository: GitRepository, asked: LocatedRequest): Promise<GitWritten> {
    const made: MadePacks = await this.ask(repository, asked, 'made');
    const folder = await this.folders.open(repository);
    for (const pack of made.made) await this.folders.store(repository, folder, pack);
    await this.folders.joined(repository, made.joined);
    const others = repository.packs.filter((name) => !made.joined.includes(name) && !made.made.includes(name));
    return { sha: made.sha, packs: [...others, ...made.made] };
  }

  private async ask<Member extends string>(
    repository: GitRepository,
    asked: LocatedRequest,
    member: Member,
  ): Promise<Extract<GitAnswer, { readonly [Name in Member]: unknown }>> {
    const folder = await this.folders.open(repository);
    const answer = await this.turns
      .request(repository.workspaceId, { ...asked, folder, packs: repository.packs } as GitRequest, patience)
      .catch((error: unknown) => {
        throw error instanceof TurnsTaken ? new GitBusy('Too many git requests are in progress.') : error;
      });
    if (answer === undefined) throw new GitBusy('Processing the history took too long.');
    if ('refused' in answer) throw new GitRefused(answer.refused);
    if (!(member in answer)) throw new Error(`The thread 'git' did not answer ${member}.`);
    return answer as Extract<GitAnswer, { readonly [Name in Member]: unknown }>;
  }
}
