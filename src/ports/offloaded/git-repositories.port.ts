/**
 * A repository's history is stored in its packs, which never change. The caller records which commit each branch points
 * to.
 */
export interface GitRepository {
  readonly workspaceId: string;
  readonly id: string;
  readonly packs: readonly string[];
}

export interface GitFile {
  /** SHA-1 of the blob, in hex. */
  readonly oid: string;
  readonly isExecutable: boolean;
}

/** Regular files, keyed and sorted by path. */
export type GitTree = ReadonlyMap<string, GitFile>;

export interface GitSignature {
  readonly name: string;
  readonly email: string;
}

export interface GitCommit {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: GitSignature;
  /** In seconds since 1970. */
  readonly at: number;
}

export interface NewCommit extends Omit<GitCommit, 'sha'> {
  readonly tree: GitTree;
  /** Must include every file of the tree that the repository does not have yet. */
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

/**
 * The result of a write, which is durable when the promise resolves. It takes effect when the caller records `packs` as
 * the new value of `GitRepository.packs`.
 */
export interface GitWritten {
  readonly sha: string;
  readonly packs: readonly string[];
}

export interface GitRelation {
  readonly ahead: number;
  readonly behind: number;
  /** The merge base of the two commits. Undefined if their histories are unrelated. */
  readonly base: string | undefined;
}

export const gitLimits = {
  /** Applies to the packed and to the unpacked size of a received pack. */
  receivedBytes: 250 * 1024 * 1024,
  receivedObjects: 200_000,
  files: 20_000,
  pathBytes: 1_000,
  depth: 50,
} as const;

export class GitRefused extends Error {}

/**
 * Too much other work was waiting, the work took too long, or the process is stopping. A partial write has no effect.
 */
export class GitBusy extends Error {}

/** All work is done off the main thread, and workspaces take turns. */
export abstract class GitRepositories {
  /**
   * @throws GitRefused for links, submodules, and names that are not valid file names on every system; GitBusy,
   * BlobsUnavailable
   */
  abstract tree(repository: GitRepository, sha: string): Promise<GitTree>;

  /** @throws GitRefused if an oid is missing; GitBusy, BlobsUnavailable */
  abstract contents(repository: GitRepository, oids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;

  /** @throws GitBusy, BlobsUnavailable */
  abstract commit(repository: GitRepository, commit: NewCommit): Promise<GitWritten>;

  /** Returns the commit and its ancestors, newest first. @throws GitBusy, BlobsUnavailable */
  abstract log(repository: GitRepository, sha: string, limit: number): Promise<readonly GitCommit[]>;

  /** @throws GitBusy, BlobsUnavailable */
  abstract relation(repository: GitRepository, one: string, other: string): Promise<GitRelation>;

  /** @throws GitBusy, BlobsUnavailable */
  abstract has(repository: GitRepository, sha: string): Promise<boolean>;

  /**
   * Stores a pack as a whole or not at all. Every object reachable from the commit must be in the pack or in the
   * repository. Stops reading the pack when it exceeds a limit.
   * @throws GitRefused, GitBusy, BlobsUnavailable, and what reading the pack throws
   */
  abstract receive(repository: GitRepository, sha: string, pack: AsyncIterable<Uint8Array>): Promise<GitWritten>;

  /**
   * Returns a pack with the objects that are reachable from the commit but not from the commits in `without`.
   * @throws GitBusy, BlobsUnavailable
   */
  abstract packOf(repository: GitRepository, sha: string, without: readonly string[]): Promise<Uint8Array>;

  /**
   * In each repository, destroys the packs that `namedBy` does not return for it. Retains packs that were stored, or
   * replaced by a larger one, since `before` (milliseconds since 1970). Idempotent.
   * @throws BlobsUnavailable, and what `namedBy` throws
   */
  abstract removeUnnamed(
    before: number,
    namedBy: (workspaceId: string, id: string) => Promise<readonly string[]>,
  ): Promise<void>;

  /** Rejects waiting work and work in progress. */
  abstract close(): Promise<void>;
}
